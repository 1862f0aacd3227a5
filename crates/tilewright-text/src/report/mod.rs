//! Errors and findings for people: what is wrong, the lines of the source that it is about, and what helps to mend it.
//!
//! Whatever Tilewright shows of a source is a [`Report`]: errors of texts, findings about modules, and findings about launches.
//!
//! ```
//! use tilewright_text::report::{Excerpt, Label, Look, Report};
//!
//! let source = "%0 = iota : tile<8xi32>\n%1 = addf %0, %0 : tile<8xi32>\n";
//! let excerpt = Excerpt::new("k.mlir", source)
//!     .primary(Label { span: 29..33, line: 2, column: 6, message: "adds floats".into() })
//!     .context(Label { span: 0..2, line: 1, column: 1, message: "integers".into() });
//! let report = Report::new("operand-type", "integers are not added as floats").excerpt(excerpt).help("use addi");
//! assert_eq!(report.render(Look::plain()), "\
//! error[operand-type]: integers are not added as floats
//!  --> k.mlir:2:6
//!   |
//! 1 | %0 = iota : tile<8xi32>
//!   | -- integers
//! 2 | %1 = addf %0, %0 : tile<8xi32>
//!   |      ^^^^ adds floats
//!   |
//!   = help: use addi
//! ");
//! ```

mod excerpt;
mod line;

pub use excerpt::{Excerpt, Label};

use annotate_snippets::{Element, Group, Level, Origin, Renderer};
use tilewright_ir::printable;

/// How reports look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    colour: bool,
    width: usize,
}

impl Default for Look {
    fn default() -> Look {
        Look::plain()
    }
}

impl Look {
    /// For files and programs: no colours, and as wide as a long line of source.
    pub const fn plain() -> Look {
        Look { colour: false, width: 140 }
    }

    /// The same in colours, as terminals understand them.
    pub const fn colour() -> Look {
        Look { colour: true, ..Look::plain() }
    }

    /// How many columns there are: of longer lines of source, what is about the labels is shown.
    pub const fn width(self, columns: usize) -> Look {
        Look { width: columns, ..self }
    }

    fn renderer(self) -> Renderer {
        let renderer = if self.colour { Renderer::styled() } else { Renderer::plain() };
        renderer.term_width(self.width)
    }
}

/// An error or a finding.
///
/// Whatever acts on a terminal, in its texts and in the source, is shown instead of sent.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    id: &'a str,
    title: String,
    parts: Vec<Part<'a>>,
}

/// What stands below the title.
#[derive(Clone, Debug)]
enum Part<'a> {
    Excerpt(Excerpt<'a>),
    Place { name: String, line: Option<usize>, column: Option<usize> },
    Note(String),
    Help(String),
}

impl<'a> Report<'a> {
    /// What is wrong, in a sentence; `id` is the stable name of the kind of error, or of the rule that is broken.
    pub fn new(id: &'a str, title: &str) -> Report<'a> {
        Report { id, title: clean(title), parts: Vec::new() }
    }

    /// Shows lines of a source.
    pub fn excerpt(self, excerpt: Excerpt<'a>) -> Report<'a> {
        self.part(Part::Excerpt(excerpt))
    }

    /// Names a place whose source there is not to show: a file, or whatever else has no lines.
    pub fn place(self, name: &str, line: Option<usize>, column: Option<usize>) -> Report<'a> {
        self.part(Part::Place { name: clean(name), line, column })
    }

    /// Adds something that is good to know.
    pub fn note(self, text: &str) -> Report<'a> {
        self.part(Part::Note(clean(text)))
    }

    /// Adds what helps to mend it.
    pub fn help(self, text: &str) -> Report<'a> {
        self.part(Part::Help(clean(text)))
    }

    fn part(mut self, part: Part<'a>) -> Report<'a> {
        self.parts.push(part);
        self
    }

    /// The report as text, which ends with a line break.
    pub fn render(&self, look: Look) -> String {
        let mut groups = Groups::new(Level::ERROR.primary_title(&self.title).id(self.id));
        for part in &self.parts {
            match part {
                Part::Excerpt(excerpt) => excerpt.add_to(&mut groups),
                Part::Place { name, line, column } => groups.add(origin(name, *line, *column)),
                Part::Note(text) => groups.add(Level::NOTE.message(text)),
                Part::Help(text) => groups.add(Level::HELP.message(text)),
            }
        }
        let text = look.renderer().render(&groups.0);
        // Lines of source that end with labels, or are empty, leave blanks behind.
        let lines = text.lines().map(|line| line.trim_end_matches(' '));
        lines.flat_map(|line| [line, "\n"]).collect()
    }
}

/// A text that is not trusted, without what acts on a terminal.
fn clean(text: &str) -> String {
    printable(text).lines().to_string()
}

fn origin<'a>(name: &'a str, line: Option<usize>, column: Option<usize>) -> Origin<'a> {
    let mut origin = Origin::path(name);
    if let Some(line) = line {
        origin = origin.line(line);
    }
    if let Some(column) = column {
        origin = origin.char_column(column);
    }
    origin
}

/// What the renderer is given; there is always one group.
struct Groups<'a>(Vec<Group<'a>>);

impl<'a> Groups<'a> {
    fn new(title: annotate_snippets::Title<'a>) -> Groups<'a> {
        Groups(vec![Group::with_title(title)])
    }

    fn add(&mut self, element: impl Into<Element<'a>>) {
        if let Some(last) = self.0.pop() {
            self.0.push(last.element(element));
        }
    }

    /// Begins a group without a title, whose first source has no line with its name.
    fn begin(&mut self) {
        self.0.push(Group::with_level(Level::ERROR));
    }
}

#[cfg(test)]
mod tests;
