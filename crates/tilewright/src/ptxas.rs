//! `ptxas`, NVIDIA's assembler, which makes machine code of PTX where someone has installed it.

use crate::{
    gpu::Target,
    ir::{Printable, printable},
};
use std::{
    env, fmt, fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The variable that names the program.
const VARIABLE: &str = "TILEWRIGHT_PTXAS";

/// The assembler, as a program of this machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ptxas {
    program: PathBuf,
}

/// Why there is no machine code.
#[derive(Debug)]
pub enum PtxasError {
    /// The assembler is nowhere.
    Missing,
    /// It cannot be started.
    Start(PathBuf, io::Error),
    /// Its input, in a temporary folder, cannot be written.
    Io(PathBuf, io::Error),
    /// It says that all is well, and its output is not there.
    NoOutput(PathBuf),
    /// It refuses the PTX, for these reasons.
    Refused(String),
}

impl fmt::Display for PtxasError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PtxasError::Missing => write!(
                f,
                "ptxas is needed for a cubin, and it is neither named by {VARIABLE} nor on PATH nor in a CUDA toolkit (CUDA_HOME, CUDA_PATH, \
                 /usr/local/cuda) nor in the packages of a Python environment: 'pip install nvidia-cuda-nvcc' brings it; PTX needs none of this"
            ),
            PtxasError::Start(program, error) => write!(f, "cannot run {} as ptxas: {error}", shown(program)),
            PtxasError::Io(path, error) => write!(f, "cannot write {} for ptxas: {error}", shown(path)),
            PtxasError::NoOutput(program) => {
                write!(f, "{} made no cubin, so it is not ptxas: {VARIABLE} names another one", shown(program))
            }
            PtxasError::Refused(why) => write!(f, "ptxas refuses the PTX: {}", why.trim()),
        }
    }
}

impl std::error::Error for PtxasError {}

impl Ptxas {
    /// A program that is known.
    pub fn new(program: impl Into<PathBuf>) -> Ptxas {
        Ptxas { program: program.into() }
    }

    /// The program that the variable `TILEWRIGHT_PTXAS` names; else the first one on the path, of a CUDA toolkit, or of a Python environment that has
    /// the package `nvidia-cuda-nvcc`.
    ///
    /// # Errors
    /// When there is none.
    pub fn find() -> Result<Ptxas, PtxasError> {
        if let Some(named) = env::var_os(VARIABLE).filter(|name| !name.is_empty()) {
            return Ok(Ptxas::new(named));
        }
        let path: Vec<PathBuf> = env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
        let folder = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let toolkits = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(folder).chain([PathBuf::from("/usr/local/cuda")]);
        let toolkits = toolkits.map(|toolkit| toolkit.join("bin"));
        let named = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(folder);
        let on_path = path.iter().filter(|bin| bin.join(exe("python3")).is_file()).filter_map(|bin| bin.parent().map(Path::to_path_buf));
        let wheels = named.chain(on_path).flat_map(|environment| wheels(&environment));
        let mut folders = path.iter().cloned().chain(toolkits).chain(wheels);
        folders
            .find_map(|folder| Some(folder.join(exe("ptxas"))).filter(|program| program.is_file()))
            .map(Ptxas::new)
            .ok_or(PtxasError::Missing)
    }

    /// The machine code of PTX, a cubin.
    ///
    /// # Errors
    /// When the program cannot be run, or refuses the PTX.
    pub fn assemble(&self, ptx: &str, target: Target) -> Result<Vec<u8>, PtxasError> {
        let folder = tempfile::tempdir().map_err(|error| PtxasError::Io(env::temp_dir(), error))?;
        let [input, output] = ["kernel.ptx", "kernel.cubin"].map(|name| folder.path().join(name));
        fs::write(&input, ptx).map_err(|error| PtxasError::Io(input.clone(), error))?;
        let mut command = Command::new(&self.program);
        command.arg(format!("--gpu-name={target}")).arg("-o").arg(&output).arg(&input).stdin(Stdio::null());
        let ended = command.output().map_err(|error| PtxasError::Start(self.program.clone(), error))?;
        if !ended.status.success() {
            let why = String::from_utf8_lossy(&ended.stderr);
            let why = if why.trim().is_empty() { format!("{}: {}", shown(&self.program), ended.status) } else { why.into_owned() };
            return Err(PtxasError::Refused(why));
        }
        fs::read(&output).map_err(|_| PtxasError::NoOutput(self.program.clone()))
    }
}

fn shown(path: &Path) -> Printable<'_> {
    printable(path.as_os_str().as_encoded_bytes())
}

fn exe(name: &str) -> String {
    format!("{name}{}", env::consts::EXE_SUFFIX)
}

/// Where NVIDIA's packages of a Python environment keep programs: those of CUDA 13 in one folder, those before in one each.
fn wheels(environment: &Path) -> Vec<PathBuf> {
    let pythons = fs::read_dir(environment.join("lib")).into_iter().flatten().flatten().map(|entry| entry.path().join("site-packages"));
    let sites = pythons.chain([environment.join("Lib/site-packages")]);
    sites.flat_map(|site| ["nvidia/cu13/bin", "nvidia/cuda_nvcc/bin"].map(|bin| site.join(bin))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_an_environment_are_looked_through() {
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path().join("lib/python3.12/site-packages");
        fs::create_dir_all(&site).unwrap();
        let found = wheels(folder.path());
        assert!(found.contains(&site.join("nvidia/cu13/bin")) && found.contains(&site.join("nvidia/cuda_nvcc/bin")), "{found:?}");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = Ptxas::new("no/such/ptxas").assemble("", Target::Sm80).unwrap_err().to_string();
        assert!(error.starts_with("cannot run no/such/ptxas as ptxas: "), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn another_program_is_named() {
        let told = |program: &str| Ptxas::new(program).assemble("", Target::Sm80).unwrap_err().to_string();
        assert_eq!(told("true"), "true made no cubin, so it is not ptxas: TILEWRIGHT_PTXAS names another one");
        assert_eq!(told("false"), "ptxas refuses the PTX: false: exit status: 1");
    }
}
