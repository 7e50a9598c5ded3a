//! Reads the description of a Maven `pom.xml`.

use quick_xml::{Reader, escape::resolve_predefined_entity, events::Event};

/// Returns the text of `project/description` in one line; `None` if it is absent, or if the XML before it is malformed.
pub(super) fn project_description(text: &str) -> Option<String> {
    let mut reader = Reader::from_str(text);
    let mut description: Option<String> = None;
    let mut depth = 0_usize;
    loop {
        let written = match reader.read_event().ok()? {
            Event::Start(tag) => {
                depth += 1;
                if depth == 2 && tag.local_name().as_ref() == b"description" {
                    description = Some(String::new());
                }
                continue;
            }
            Event::End(_) if depth == 2 && description.is_some() => break,
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                continue;
            }
            Event::Text(text) => text.xml10_content().ok()?.into_owned(),
            Event::CData(text) => text.xml10_content().ok()?.into_owned(),
            Event::GeneralRef(reference) => match reference.resolve_char_ref().ok()? {
                Some(character) => character.to_string(),
                None => resolve_predefined_entity(&reference.xml10_content().ok()?).unwrap_or_default().to_owned(),
            },
            Event::Eof => return None,
            // `<br/>` separates words.
            Event::Empty(_) => " ".to_owned(),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => continue,
        };
        if let Some(description) = &mut description {
            description.push_str(&written);
        }
    }
    description.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_description_of_the_project_is_read() {
        for (text, expected) in [
            ("<project><description>A kit</description></project>", Some("A kit")),
            ("<project>\n  <description>\n    A kit\n    for all\n  </description>\n</project>", Some("A kit for all")),
            ("<project><!--\n<description>Old</description>\n--><description>New</description></project>", Some("New")),
            (
                "<project><profiles><profile><description>Of a profile</description></profile></profiles></project>",
                None,
            ),
            (
                "<project><description>Tools &amp; <![CDATA[<kits>]]> &#38; more</description></project>",
                Some("Tools & <kits> & more"),
            ),
            ("<project><description>Tools<br/>and <b>kits</b></description></project>", Some("Tools and kits")),
            ("<project><description/></project>", None),
            ("<project><description>cut", None),
            ("</a></b>", None),
            ("", None),
        ] {
            assert_eq!(project_description(text).as_deref(), expected, "{text}");
        }
    }
}
