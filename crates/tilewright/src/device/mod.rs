//! What runs compiled kernels: the PTX machine, and GPUs.
//!
//! A [`Device`] is named as on the command line: `ptx`, `ptx:sm_90`, `cuda`, `cuda:1`. [`Device::open`] gives what [loads](Opened::load) kernels,
//! and that what [launches](Loaded::launch) them, each time on copies of the buffers.

#[cfg(feature = "cuda")]
mod cuda;
mod machine;

use crate::{
    case::Outcome,
    gpu::{Kernel, Target},
    ptx::machine::Report,
};
use std::{fmt, str::FromStr};

#[cfg(feature = "cuda")]
pub use cuda::target_of;
pub(crate) use machine::run as run_on_machine;

/// What runs compiled kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Device {
    /// The PTX machine, with code for a GPU.
    Ptx(Target),
    /// A GPU of this machine, by its number.
    Cuda(u32),
}

impl Device {
    /// Finds the device.
    ///
    /// # Errors
    /// When there is none, or kernels cannot be compiled for it.
    pub fn open(self) -> Result<Box<dyn Opened>, DeviceError> {
        match self {
            Device::Ptx(target) => Ok(Box::new(machine::PtxMachine { target })),
            #[cfg(feature = "cuda")]
            Device::Cuda(ordinal) => Ok(Box::new(cuda::Gpu::open(ordinal)?)),
            #[cfg(not(feature = "cuda"))]
            Device::Cuda(_) => {
                Err(DeviceError::Missing("this program was built without the feature 'cuda', which runs kernels on GPUs".to_owned()))
            }
        }
    }
}

impl FromStr for Device {
    type Err = String;

    fn from_str(text: &str) -> Result<Device, String> {
        match text.split_once(':') {
            None if text == "ptx" => Ok(Device::Ptx(Target::default())),
            None if text == "cuda" => Ok(Device::Cuda(0)),
            Some(("ptx", target)) => target.parse().map(Device::Ptx),
            Some(("cuda", ordinal)) => {
                ordinal.parse().map(Device::Cuda).map_err(|_| format!("'{ordinal}' is not the number of a GPU: they count from 0"))
            }
            _ => Err("expected ptx, ptx:GPU, such as ptx:sm_90, cuda or cuda:N".to_owned()),
        }
    }
}

/// A device that is there.
pub trait Opened {
    /// What kernels are compiled for.
    fn target(&self) -> Target;

    /// Its name, if it is a GPU.
    fn name(&self) -> Option<&str>;

    /// Makes a kernel ready to be launched.
    ///
    /// # Errors
    /// When the device refuses it, or cannot be used.
    fn load(&self, kernel: &Kernel) -> Result<Box<dyn Loaded>, DeviceError>;
}

/// A kernel on a device.
pub trait Loaded {
    /// Launches it and waits for it. A kernel that fails is an outcome.
    ///
    /// # Errors
    /// When it cannot be launched: memory is missing, or the device cannot be used.
    fn launch(&mut self, launch: &Launch<'_>) -> Result<Launched, DeviceError>;
}

/// The bits of arguments for buffers at these addresses, and what buffers hold whose content depends on them.
pub type ArgumentsFn<'a> = dyn Fn(&[u64]) -> (Vec<u64>, Vec<(usize, Vec<u8>)>) + 'a;

/// What a kernel is launched with.
pub struct Launch<'a> {
    /// How many tile blocks there are along x, y and z.
    pub grid: [u32; 3],
    /// What each buffer holds before the launch, and whether the kernel may only read it.
    pub buffers: Vec<(&'a [u8], bool)>,
    /// The arguments.
    pub arguments: &'a ArgumentsFn<'a>,
    /// Decides the order of blocks and warps, where the device lets one choose.
    pub seed: u64,
}

/// What a launch did.
pub struct Launched {
    /// Buffers, text, failure and time: on a GPU, that of the kernel alone.
    pub outcome: Outcome,
    /// What the PTX machine counted and found.
    pub machine: Option<Report>,
}

/// Why a device cannot run a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeviceError {
    /// It is not there.
    Missing(String),
    /// It refuses what the compiler made, which is an error of the compiler.
    Refused(String),
    /// It fails.
    Failed(String),
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (DeviceError::Missing(what) | DeviceError::Refused(what) | DeviceError::Failed(what)) = self;
        f.write_str(what)
    }
}

impl std::error::Error for DeviceError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_have_names() {
        let parse = |text: &str| text.parse::<Device>();
        assert_eq!([parse("ptx"), parse("ptx:sm_90")], [Target::default(), Target::Sm90].map(|target| Ok(Device::Ptx(target))));
        assert_eq!([parse("cuda"), parse("cuda:3")], [0, 3].map(|ordinal| Ok(Device::Cuda(ordinal))));
        for wrong in ["", "gpu", "ptx:", "ptx:sm_1", "cuda:", "cuda:x", "cuda:-1"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
