//! Quantised vectors and their similarity.

/// Codes are in `-MAX_CODE..=MAX_CODE`, so that negation is exact.
const MAX_CODE: f32 = 127.0;

/// The embedding of a text. A text without known tokens has the zero vector, whose cosine to any vector is 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vector(Box<[i8]>);

impl Vector {
    /// Quantises numbers to 8-bit codes.
    ///
    /// The length is lost, since vectors are compared by cosine only. Non-finite numbers count as zero.
    pub fn quantise(numbers: &[f32]) -> Vector {
        let largest = numbers.iter().map(|number| number.abs()).filter(|number| number.is_finite()).fold(0.0, f32::max);
        if largest == 0.0 {
            return Vector::zero(numbers.len());
        }
        // Division comes first: the quotient of a number by a larger one cannot overflow.
        let code = |number: f32| if number.is_finite() { (number / largest * MAX_CODE).round() as i8 } else { 0 };
        Vector(numbers.iter().map(|number| code(*number)).collect())
    }

    /// Returns the vector with these codes, as returned by [`Vector::codes`].
    pub fn from_codes(codes: &[i8]) -> Vector {
        Vector(codes.into())
    }

    /// Returns the zero vector.
    pub fn zero(n_dims: usize) -> Vector {
        Vector(vec![0; n_dims].into())
    }

    /// Returns the codes.
    pub fn codes(&self) -> &[i8] {
        &self.0
    }

    /// Returns the number of dimensions.
    pub fn n_dims(&self) -> usize {
        self.0.len()
    }

    /// Returns true for the zero vector.
    pub fn is_zero(&self) -> bool {
        self.0.iter().all(|code| *code == 0)
    }

    /// Returns the cosine between two vectors of one model; 0 if one of them is zero.
    pub fn cosine(&self, other: &Vector) -> f32 {
        cosine(dot(&self.0, &other.0), inverse_norm(&self.0), inverse_norm(&other.0))
    }
}

/// Returns the dot product of the codes of two vectors of one model.
pub fn dot(codes: &[i8], others: &[i8]) -> i32 {
    debug_assert_eq!(codes.len(), others.len(), "vectors of two models never meet");
    codes.iter().zip(others).map(|(code, other)| i32::from(*code) * i32::from(*other)).sum()
}

/// Returns the inverse of a vector's length; 0 for the zero vector, so that its cosine to any other is 0.
pub fn inverse_norm(codes: &[i8]) -> f32 {
    match dot(codes, codes) {
        0 => 0.0,
        square => 1.0 / (square as f32).sqrt(),
    }
}

/// Returns the cosine from a dot product by [`dot`] or [`crate::scan()`] and both inverse norms. The order of
/// operations is fixed, so that results are bit-identical everywhere.
pub fn cosine(dot: i32, inverse_norm: f32, other_inverse_norm: f32) -> f32 {
    dot as f32 * (inverse_norm * other_inverse_norm)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn exact_cosine(a: &[f32], b: &[f32]) -> f64 {
        let product = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
        product(a, b) / (product(a, a) * product(b, b)).sqrt()
    }

    #[test]
    fn quantisation_keeps_the_direction() {
        let codes = |numbers: &[f32]| Vector::quantise(numbers).codes().to_vec();
        let cases: &[(&[f32], &[i8])] = &[
            (&[], &[]),
            (&[0.0, 0.0], &[0, 0]),
            (&[0.5, -0.25], &[127, -64]),
            (&[1e30, -1e30], &[127, -127]),
            (&[f32::MAX, f32::MIN], &[127, -127]),
            (&[1e-40, 0.0], &[127, 0]),
            (&[f32::NAN, 1.0], &[0, 127]),
            (&[f32::INFINITY, -1.0], &[0, -127]),
        ];
        for (numbers, expected) in cases {
            assert_eq!(codes(numbers), *expected, "{numbers:?}");
        }
    }

    #[test]
    fn zero_vector_has_cosine_zero() {
        let (zero, some) = (Vector::zero(3), Vector::quantise(&[1.0, 2.0, 3.0]));
        assert!(zero.is_zero() && !some.is_zero());
        assert_eq!((zero.cosine(&some), zero.cosine(&zero)), (0.0, 0.0));
    }

    #[test]
    fn largest_codes_do_not_overflow() {
        let vector = Vector::from_codes(&[-128; 8192]);
        assert!((vector.cosine(&vector) - 1.0).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn quantisation_preserves_the_cosine(
            a in prop::collection::vec(-1.0_f32..1.0, 256),
            b in prop::collection::vec(-1.0_f32..1.0, 256),
            share in 0.0_f32..1.0,
        ) {
            // Random directions are nearly orthogonal; a mixture has any angle.
            let mixed: Vec<f32> = a.iter().zip(&b).map(|(a, b)| share * a + (1.0 - share) * b).collect();
            let cosine = Vector::quantise(&a).cosine(&Vector::quantise(&mixed));
            prop_assert!((f64::from(cosine) - exact_cosine(&a, &mixed)).abs() < 0.01);
        }

        #[test]
        fn cosine_is_symmetric(a in prop::collection::vec(any::<i8>(), 64), b in prop::collection::vec(any::<i8>(), 64)) {
            let (a, b) = (Vector::from_codes(&a), Vector::from_codes(&b));
            prop_assert_eq!(a.cosine(&b).to_bits(), b.cosine(&a).to_bits());
        }
    }
}
