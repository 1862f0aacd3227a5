//! What a kernel on a GPU is measured beside: machine code that another compiler made of the same bytecode, cuBLAS, and PyTorch.
//!
//! Each may be missing, or fail; then that is what is said of it.

mod cubins;
mod pytorch;

use super::problems::{Problem, Product};
use serde::Serialize;
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};
use tilewright::{
    cuda::{self, Buffer, Context, Cublas, Stream},
    ir::{Scalar, printable},
};

/// What was asked for.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Beside {
    Cubins(PathBuf),
    Cublas,
    Pytorch,
}

/// What an argument of the command asks for.
pub(super) fn beside(text: &str) -> Result<Beside, String> {
    match text {
        "cublas" => Ok(Beside::Cublas),
        "pytorch" => Ok(Beside::Pytorch),
        path if Path::new(path).is_dir() => Ok(Beside::Cubins(path.into())),
        other => Err(format!("'{}' is neither 'cublas' nor 'pytorch' nor a folder of cubins", printable(other))),
    }
}

/// What something else takes for a problem, or why it is not known.
#[derive(Clone, Serialize)]
pub(super) struct Other {
    pub(super) name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

impl Other {
    pub(super) fn new(name: &'static str, seconds: Result<f64, String>) -> Other {
        let (seconds, error) = match seconds {
            Ok(seconds) => (Some(seconds), None),
            Err(error) => (None, Some(error)),
        };
        Other { name, seconds, error }
    }
}

pub(super) const TILEIRAS: &str = "tileiras";
pub(super) const CUBLAS: &str = "cuBLAS";
pub(super) const PYTORCH: &str = "PyTorch";

/// All that was asked for, as far as it is there.
#[derive(Default)]
pub(super) struct Others {
    cubins: Option<PathBuf>,
    /// Whether cuBLAS was asked for, and what it is in the context.
    wants_cublas: bool,
    cublas: Option<Result<Cublas, String>>,
    /// By the name of the problem.
    pytorch: Option<HashMap<String, Result<f64, String>>>,
}

impl Others {
    /// Loads cuBLAS, and lets PyTorch run all problems.
    pub(super) fn open(asked: &[Beside], context: &Context, problems: &[Problem], quick: bool) -> Others {
        let is_asked = |what: &Beside| asked.contains(what);
        let cubins = asked.iter().find_map(|asked| if let Beside::Cubins(folder) = asked { Some(folder.clone()) } else { None });
        let pytorch = is_asked(&Beside::Pytorch).then(|| pytorch::run(problems, context.device().ordinal(), quick));
        Others { cubins, wants_cublas: is_asked(&Beside::Cublas), cublas: None, pytorch }.in_context(context)
    }

    /// Lets go of what lies in a context.
    pub(super) fn without_context(self) -> Others {
        Others { cublas: None, ..self }
    }

    /// Loads what lies in a context.
    pub(super) fn in_context(self, context: &Context) -> Others {
        Others { cublas: self.wants_cublas.then(|| cublas(context)), ..self }
    }

    /// What is called for all problems: the version of cuBLAS.
    pub(super) fn versions(&self) -> Vec<String> {
        let version = |cublas: &Cublas| cublas.version().ok().map(|version| format!("{CUBLAS} {version}"));
        self.cublas.iter().flatten().filter_map(version).collect()
    }

    /// The machine code for a problem, if that was asked for.
    pub(super) fn cubin(&self, problem: &Problem, gpu: &cuda::Device) -> Option<Result<Vec<u8>, String>> {
        self.cubins.as_ref().map(|folder| cubins::read(folder, &problem.name, gpu))
    }

    /// cuBLAS and the product that it is asked for; nothing where that was not asked for, or the problem is no product.
    pub(super) fn cublas(&self, problem: &Problem) -> Option<Result<(&Cublas, cuda::Product), String>> {
        let cublas = self.cublas.as_ref()?;
        let product = problem.product.as_ref()?;
        let cublas = cublas.as_ref().map_err(Clone::clone);
        Some(cublas.and_then(|cublas| Ok((cublas, to_cuda(product, problem)?))))
    }

    /// What PyTorch takes; nothing where that was not asked for, or nothing says what the problem is in PyTorch.
    pub(super) fn pytorch(&self, problem: &Problem) -> Option<Other> {
        let found = self.pytorch.as_ref()?.get(&problem.name)?;
        Some(Other::new(PYTORCH, found.clone()))
    }
}

fn cublas(context: &Context) -> Result<Cublas, String> {
    Cublas::load(context, &pytorch::library_folders()).map_err(|error| error.to_string())
}

/// The product with what its matrices hold.
fn to_cuda(product: &Product, problem: &Problem) -> Result<cuda::Product, String> {
    let element = match problem.arguments.first().and_then(|argument| argument.scalar()) {
        Some(Scalar::F16) => cuda::Element::F16,
        Some(Scalar::Bf16) => cuda::Element::Bf16,
        Some(Scalar::F32) => cuda::Element::Tf32,
        Some(Scalar::F64) => cuda::Element::F64,
        Some(Scalar::I8) => cuda::Element::I8,
        _ => return Err("cuBLAS has no product of this type".to_owned()),
    };
    let [batch, m, n, k] = product.extents();
    Ok(cuda::Product { batch, m, n, k, element })
}

/// Begins a product of the first two arrays of a problem in the third one.
pub(super) fn multiply(cublas: &Cublas, product: &cuda::Product, buffers: &[Buffer], stream: &Stream) -> Result<(), cuda::CudaError> {
    let [a, b, c, ..] = buffers else { return Err(cuda::CudaError::Invalid("a product has three arrays".to_owned())) };
    cublas.multiply(product, [a, b, c], stream)
}
