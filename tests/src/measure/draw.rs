//! Deterministic random numbers.

/// A linear congruential generator with Knuth's constants.
pub struct Draw(u64);

impl Draw {
    pub fn new(seed: u64) -> Draw {
        Draw(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1))
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % bound as u64) as usize
    }

    pub fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    /// Returns a number below `bound`; small ones are far more frequent, like words in texts.
    pub fn favouring_first(&mut self, bound: usize) -> usize {
        let within = 1 + self.below(bound);
        self.below(within)
    }
}
