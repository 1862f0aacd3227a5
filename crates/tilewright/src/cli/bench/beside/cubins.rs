//! Machine code that lies in a folder: NAME.sm_90.cubin.

use std::{
    fs,
    path::{Path, PathBuf},
};
use tilewright::cuda::Device;

/// The cubin of a kernel that a GPU runs: that of the same generation which is newest, but not newer than the GPU.
pub(super) fn read(folder: &Path, name: &str, gpu: &Device) -> Result<Vec<u8>, String> {
    let (major, minor) = gpu.compute_capability().map_err(|error| error.to_string())?;
    let path = find(folder, name, major, minor).ok_or_else(|| {
        format!(
            "{} has no {name}.sm_{major}{minor}.cubin, which tileiras --gpu-name=sm_{major}{minor} --lineinfo makes of the kernel's bytecode",
            folder.display()
        )
    })?;
    fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
}

fn find(folder: &Path, name: &str, major: u32, minor: u32) -> Option<PathBuf> {
    let paths = (0..=minor).rev().map(|minor| folder.join(format!("{name}.sm_{major}{minor}.cubin")));
    paths.into_iter().find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_runs_what_is_of_its_generation_and_not_newer() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for file in ["k.sm_80.cubin", "k.sm_86.cubin", "k.sm_90.cubin", "other.sm_89.cubin"] {
            fs::write(folder.path().join(file), "").expect("a file");
        }
        let found = |major, minor| Some(find(folder.path(), "k", major, minor)?.file_name()?.to_string_lossy().into_owned());
        let expected = [((8, 0), "k.sm_80.cubin"), ((8, 6), "k.sm_86.cubin"), ((8, 9), "k.sm_86.cubin"), ((9, 0), "k.sm_90.cubin")];
        for ((major, minor), file) in expected {
            assert_eq!(found(major, minor).as_deref(), Some(file));
        }
        assert_eq!(found(10, 0), None);
    }
}
