//! A session: a module, the last launch of one of its kernels, and what is asked about them.

use crate::{
    document::{self, Document},
    launch::{Call, Files, Launch},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tilewright::{
    bytecode::ReadErrorKind,
    check,
    exec::{Program, TargetMachine},
    ir::{self, Opcode},
    text::parse::explain_error,
};

/// What the page has open.
#[derive(Default)]
pub struct Session {
    document: Option<Document>,
    launch: Option<Launch>,
    files: Files,
}

/// What can be asked.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub(crate) enum Request {
    /// Opens a text, or the bytes beside the request: bytecode or text.
    Open {
        /// What the file is called.
        name: String,
        /// The text; else the bytes hold the file.
        text: Option<String>,
    },
    /// Keeps the bytes beside the request as a file that arguments name: `@x.npy`.
    File {
        /// What it is called.
        name: String,
    },
    /// What every byte of the bytecode means, as `tilewright objdump --json` says it.
    Bytes,
    /// What is known of the name or operation at a place of the text.
    Hover {
        /// Units of UTF-16 in front of the place.
        at: usize,
    },
    /// The plan of an entry after each pass.
    Plan {
        /// The name of the entry.
        entry: String,
    },
    /// The names of all operations.
    Operations,
    /// What a rule says.
    Explain {
        /// Its id.
        rule: String,
    },
    /// Launches an entry: `entry`, `grid`, `args`, and the number of the `block` whose steps are wanted.
    Run(Call),
    /// Launches it once more, for the steps of another block.
    Trace {
        /// The number of the block.
        block: u64,
    },
    /// What a step of the block sees and makes.
    Step {
        /// Its position among the steps.
        index: usize,
    },
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

impl Session {
    /// Answers a request, with the bytes that come beside it. Both are JSON, with `do` for the kind of request, such as `{"do":"step","index":3}`; an
    /// answer that failed is an object with `error`.
    pub fn answer(&mut self, request: &str, bytes: &[u8]) -> String {
        let request: Result<Request, String> = serde_json::from_str(request).map_err(|error| format!("no such request: {error}"));
        match request.and_then(|request| self.ask(request, bytes)) {
            Ok(answer) => answer,
            Err(error) => json!({ "error": error }).to_string(),
        }
    }

    fn ask(&mut self, request: Request, bytes: &[u8]) -> Result<String, String> {
        match request {
            Request::Open { name, text } => {
                let (document, opened) = Document::open(&name, text.as_deref().map_or(bytes, str::as_bytes));
                (self.document, self.launch) = (Some(document), None);
                text_of(&opened)
            }
            Request::File { name } => {
                self.files.insert(name, bytes.to_vec());
                Ok("{}".to_owned())
            }
            Request::Bytes => Ok(self.document()?.dump()),
            Request::Hover { at } => text_of(&self.document()?.hover(at)),
            Request::Plan { entry } => plan(self.document()?, &entry),
            Request::Operations => text_of(&Opcode::ALL.iter().map(|opcode| opcode.mnemonic()).collect::<Vec<_>>()),
            Request::Explain { rule } => Ok(explain(&rule)?),
            Request::Run(call) => {
                let (launch, launched) = Launch::run(self.document()?, &self.files, call)?;
                self.launch = Some(launch);
                text_of(&launched)
            }
            Request::Trace { block } => {
                let Session { document: Some(document), launch: Some(launch), files } = self else { return Err(NO_LAUNCH.to_owned()) };
                text_of(&launch.of_block(document, files, block)?)
            }
            Request::Step { index } => text_of(&self.launch.as_ref().ok_or(NO_LAUNCH)?.step(self.document()?, index)?),
        }
    }

    fn document(&self) -> Result<&Document, String> {
        self.document.as_ref().ok_or_else(|| "no module is open".to_owned())
    }
}

const NO_LAUNCH: &str = "nothing has been launched";

fn text_of(answer: &impl Serialize) -> Result<String, String> {
    serde_json::to_string(answer).map_err(|error| error.to_string())
}

/// The plan of an entry after each pass, for a machine with vectors, and the vector code of its fused regions.
fn plan(document: &Document, entry: &str) -> Result<String, String> {
    let program = Program::new(document.module()?.clone()).for_machine(TargetMachine::portable());
    let stages = program.plan_stages(entry).map_err(|error| error.to_string())?;
    let shown = |(pass, text): &(tilewright::exec::PlanPass, String)| json!({ "name": pass.name, "summary": pass.summary, "text": text });
    text_of(&stages.iter().map(shown).collect::<Vec<_>>())
}

fn explain(id: &str) -> Result<String, String> {
    if let Some(rule) = ir::explain(id) {
        return text_of(&json!({ "id": id, "title": rule.title, "text": rule.text, "example": rule.example, "help": rule.help_uri() }));
    }
    if let Some(error) = explain_error(id) {
        return text_of(
            &json!({ "id": id, "title": error.title, "text": error.text, "example": error.example, "help": document::help(id) }),
        );
    }
    if let Some(error) = ReadErrorKind::from_id(id) {
        return text_of(&json!({ "id": id, "title": error.title(), "text": error.text(), "example": "", "help": document::help(id) }));
    }
    let rule = check::explain(id).ok_or_else(|| format!("there is no rule '{id}'"))?;
    text_of(&json!({ "id": id, "title": rule.title, "text": rule.text, "mend": rule.mend, "example": rule.buggy, "help": rule.help_uri() }))
}
