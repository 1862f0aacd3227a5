//! The text of pipelines: `name,name(option=number,...),...`, with spaces anywhere between words.

use super::{Pipeline, Step};
use crate::registry::{find_or_suggest, unknown};
use std::fmt;

/// The longest pipeline.
const MAX_PASSES: usize = 1000;

/// A text that is no pipeline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PipelineError {
    position: usize,
    message: String,
}

impl PipelineError {
    /// The byte of the text that it is about.
    pub fn position(&self) -> usize {
        self.position
    }
}

impl fmt::Display for PipelineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at character {} of the pipeline: {}", self.position + 1, self.message)
    }
}

impl std::error::Error for PipelineError {}

impl Pipeline {
    /// The pipeline that a text names.
    ///
    /// # Errors
    /// When the text is none: where, and what was expected there.
    pub fn parse(text: &str) -> Result<Pipeline, PipelineError> {
        let mut parser = Parser { text, at: 0 };
        let mut steps = Vec::new();
        loop {
            if steps.len() == MAX_PASSES {
                return Err(parser.error(parser.at, format!("a pipeline has at most {MAX_PASSES} passes")));
            }
            steps.push(parser.step()?);
            if !parser.takes(',') {
                break;
            }
        }
        match parser.rest().chars().next() {
            None => Ok(Pipeline { steps }),
            Some(found) => Err(parser.error(parser.at, format!("expected ',' or the end, found '{}'", found.escape_default()))),
        }
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Parser<'t> {
    fn rest(&mut self) -> &'t str {
        let rest = &self.text[self.at..];
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    fn takes(&mut self, expected: char) -> bool {
        let found = self.rest().starts_with(expected);
        self.at += if found { expected.len_utf8() } else { 0 };
        found
    }

    fn error(&self, position: usize, message: String) -> PipelineError {
        PipelineError { position, message }
    }

    /// A word of letters, digits and hyphens, and where it begins.
    fn word(&mut self, what: &str) -> Result<(&'t str, usize), PipelineError> {
        let rest = self.rest();
        let len = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
        if len == 0 {
            let found = rest.chars().next().map_or("the end".to_owned(), |found| format!("'{}'", found.escape_default()));
            return Err(self.error(self.at, format!("expected {what}, found {found}")));
        }
        let start = self.at;
        self.at += len;
        Ok((&rest[..len], start))
    }

    fn step(&mut self) -> Result<Step, PipelineError> {
        let (name, start) = self.word("the name of a pass")?;
        let info = find_or_suggest(name).map_err(|message| self.error(start, message))?;
        let mut step = Step { info, values: info.options.iter().map(|option| option.default).collect() };
        if self.takes('(') && !self.takes(')') {
            self.options(&mut step)?;
        }
        Ok(step)
    }

    fn options(&mut self, step: &mut Step) -> Result<(), PipelineError> {
        loop {
            let (name, start) = self.word("the name of an option")?;
            let Some(index) = step.info.options.iter().position(|option| option.name == name) else {
                let what = format!("option of '{}'", step.info.name);
                return Err(self.error(start, unknown(&what, name, step.info.options.iter().map(|option| option.name))));
            };
            if !self.takes('=') {
                return Err(self.error(self.at, format!("expected '=' and a number behind '{name}'")));
            }
            let (number, start) = self.word("a number")?;
            let value = number.parse().map_err(|_| self.error(start, format!("expected a number, found '{number}'")))?;
            let most = step.info.options[index].most;
            if value > most {
                return Err(self.error(start, format!("'{name}' of '{}' is at most {most}, found {value}", step.info.name)));
            }
            step.values[index] = value;
            if self.takes(')') {
                return Ok(());
            }
            if !self.takes(',') {
                return Err(self.error(self.at, "expected ',' or ')'".to_owned()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_pipeline_is_one() {
        assert_eq!(Pipeline::default_passes().to_string(), Pipeline::DEFAULT);
    }

    #[test]
    fn errors_name_the_place_and_the_nearest_name() {
        for (text, error) in [
            ("", "at character 1 of the pipeline: expected the name of a pass, found the end"),
            ("cse,", "at character 5 of the pipeline: expected the name of a pass, found the end"),
            ("cse, lcim", "at character 6 of the pipeline: there is no pass 'lcim'; did you mean 'licm'?"),
            ("cse dce", "at character 5 of the pipeline: expected ',' or the end, found 'd'"),
            ("cse(x=1)", "at character 5 of the pipeline: there is no option of 'cse' 'x': it has none"),
            ("cse,dce(loads=2)", "at character 15 of the pipeline: 'loads' of 'dce' is at most 1, found 2"),
        ] {
            assert_eq!(Pipeline::parse(text).unwrap_err().to_string(), error, "{text}");
        }
        let error = Pipeline::parse("vectorize").unwrap_err().to_string();
        assert!(error.starts_with("at character 1 of the pipeline: there is no pass 'vectorize'; there are "), "{error}");
    }
}
