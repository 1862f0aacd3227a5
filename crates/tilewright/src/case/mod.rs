//! Cases: a kernel with its inputs, its grid and what must come out, kept in a folder with a `case.json`.
//!
//! [`Case::load`] reads the description, [`Case::run`] launches one version of the kernel and judges what it did: the
//! content of its buffers, the lines it printed, the way it failed. The format is that of the corpus; its README has it in
//! full.

mod bind;
mod check;
mod compare;
#[cfg(feature = "gpu")]
mod device;
mod elsewhere;
mod error;
mod report;
mod run;
mod spec;

pub use compare::{Comparison, WorstElement, compare};
#[cfg(feature = "gpu")]
pub use device::DeviceOptions;
pub use elsewhere::{BoundCase, Outcome};
pub use error::CaseError;
pub use report::{CaseReport, FailureVerdict, InputVerdict, LaunchVerdict, OutputVerdict, StdoutVerdict, Worst};
pub use run::{OutputFn, RunOptions};
pub use spec::Tolerance;

use crate::{
    exec::Program,
    ir::{VerifiedModule, Version},
};
use spec::CaseSpec;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// A case, as described by its `case.json`; its other files are read when it runs.
#[derive(Clone, Debug)]
pub struct Case {
    path: PathBuf,
    bytecode: BTreeMap<Version, PathBuf>,
    spec: CaseSpec,
}

impl Case {
    /// Reads the description at `path`, which is a `case.json` or the folder that holds one.
    ///
    /// # Errors
    /// When it cannot be read, or is no description of a case.
    pub fn load(path: impl AsRef<Path>) -> Result<Case, CaseError> {
        let path = path.as_ref();
        let path = if path.is_dir() { path.join("case.json") } else { path.to_owned() };
        let text = fs::read(&path).map_err(|source| CaseError::Io { path: path.clone(), source })?;
        let spec: CaseSpec = serde_json::from_slice(&text).map_err(|source| CaseError::Json { path: path.clone(), source })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut bytecode = BTreeMap::new();
        for (version, file) in &spec.bytecode {
            let version = version.parse().map_err(|e| CaseError::Description { path: path.clone(), what: format!("{e}") })?;
            bytecode.insert(version, folder.join(file));
        }
        if bytecode.is_empty() {
            return Err(CaseError::Description { path, what: "it names no bytecode file".to_owned() });
        }
        Ok(Case { path, bytecode, spec })
    }

    /// The name of the case.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// What the kernel does, in a sentence.
    pub fn about(&self) -> &str {
        &self.spec.about
    }

    /// The entry that is launched.
    pub fn entry(&self) -> &str {
        &self.spec.entry
    }

    /// How many tile blocks are launched along x, y and z.
    pub fn grid(&self) -> [u32; 3] {
        self.spec.grid
    }

    /// What may differ from run to run, in words.
    pub fn nondeterministic(&self) -> &[String] {
        &self.spec.nondeterministic
    }

    /// The versions of bytecode there are, oldest first.
    pub fn versions(&self) -> impl Iterator<Item = Version> {
        self.bytecode.keys().copied()
    }

    /// The bytecode file of a version, or of the newest.
    ///
    /// # Errors
    /// When the case has no such version.
    pub fn bytecode(&self, version: Option<Version>) -> Result<(Version, &Path), CaseError> {
        let found = match version {
            Some(version) => self.bytecode.get_key_value(&version),
            None => self.bytecode.last_key_value(),
        };
        let missing = || CaseError::NoVersion { case: self.name().to_owned(), asked: version, there: self.versions().collect() };
        found.map(|(version, path)| (*version, path.as_path())).ok_or_else(missing)
    }

    /// The program in a version, or in the newest.
    ///
    /// # Errors
    /// When the case has no such version, or its file is not a valid module.
    pub fn program(&self, version: Option<Version>) -> Result<Program, CaseError> {
        self.module(version).map(Program::new)
    }

    /// The module in a version, or in the newest.
    ///
    /// # Errors
    /// When the case has no such version, or its file is not a valid module.
    pub fn module(&self, version: Option<Version>) -> Result<VerifiedModule, CaseError> {
        let path = self.bytecode(version)?.1.to_owned();
        let bytes = fs::read(&path).map_err(|source| CaseError::Io { path: path.clone(), source })?;
        let module = crate::bytecode::read(&bytes).map_err(|source| CaseError::Bytecode { path: path.clone(), source })?;
        crate::ir::verify(module).map_err(|findings| CaseError::Invalid { path, findings })
    }

    /// The path of a file of the case.
    fn file(&self, name: &str) -> PathBuf {
        self.path.with_file_name(name)
    }

    fn fault(&self, what: String) -> CaseError {
        CaseError::Description { path: self.path.clone(), what }
    }
}
