//! Arguments of a launch that is checked: buffers may be unwritten, or share memory.

use super::{
    ArgumentError, Bound, OpenFn,
    bind::{bind_from, open_file},
    place,
};
use crate::{
    check::{Array, CheckOptions},
    exec::{Arg, Memory, Param, Plan},
};

/// Arguments of a launch that is checked. Beside what [`bind`](fn@super::bind) takes, `f32[8]=?` is a buffer that nobody has written, and `&0+64` the
/// buffer of parameter 0 from its byte 64 on.
#[derive(Debug)]
pub struct Checked {
    bound: Vec<Bound>,
    shared: Vec<Option<Shared>>,
    /// Parameters that are buffers, in the order of the buffers of the launch.
    buffers: Vec<usize>,
    uninitialised: Vec<usize>,
}

/// Marks a buffer whose content is undefined.
const UNWRITTEN: &str = "=?";

impl Checked {
    /// Gives every parameter its argument.
    ///
    /// # Errors
    /// As [`bind`](fn@super::bind), and when memory is shared with what is no parameter.
    pub fn bind(plan: &Plan, texts: &[String]) -> Result<Checked, ArgumentError> {
        Checked::bind_from(plan, texts, &open_file)
    }

    /// The same, with files from elsewhere.
    ///
    /// # Errors
    /// As [`Checked::bind`].
    pub fn bind_from(plan: &Plan, texts: &[String], open: &OpenFn<'_>) -> Result<Checked, ArgumentError> {
        let shared = texts.iter().map(|text| Shared::parse(text)).collect::<Result<Vec<_>, _>>()?;
        let as_run_takes_it = |(i, (text, shared)): (usize, (&String, &Option<Shared>))| bound_text(plan, i, text, shared.is_some());
        let plain: Vec<String> = std::iter::zip(texts, &shared).enumerate().map(as_run_takes_it).collect();
        let bound = bind_from(plan, &plain, open)?;
        let buffers: Vec<usize> = (0..bound.len()).filter(|i| matches!(bound[*i], Bound::Buffer(_))).collect();
        let is_uninitialised = |i: &usize| texts[*i].ends_with(UNWRITTEN);
        let uninitialised = buffers.iter().enumerate().filter(|(_, i)| is_uninitialised(i)).map(|(number, _)| number).collect();
        Ok(Checked { bound, shared, buffers, uninitialised })
    }

    /// The parameters that are buffers, in the order of the buffers of the launch.
    pub fn buffers(&self) -> &[usize] {
        &self.buffers
    }

    /// What the parameters are given.
    pub fn bound(&self) -> &[Bound] {
        &self.bound
    }

    /// What a check is told about the buffers.
    pub fn options(&self) -> CheckOptions {
        let names = self.buffers.iter().map(|i| format!("parameter {i}"));
        CheckOptions::new().names(names).uninitialised(self.uninitialised.iter().copied())
    }

    /// Puts the buffers into memory, and gives the arguments of the launch and the arrays that they are. Kernels may only read the buffers of the
    /// parameters in `read_only`.
    ///
    /// # Errors
    /// When a parameter is no buffer that must be one, or has too few bytes.
    pub fn place<'a>(&'a mut self, memory: &mut Memory<'a>, read_only: &[usize]) -> Result<(Vec<Arg>, Vec<Array>), ArgumentError> {
        if let Some(number) = read_only.iter().find(|number| !self.buffers.contains(number)) {
            let why = if *number < self.bound.len() { "is no buffer" } else { "does not exist: they are counted from 0" };
            return Err(ArgumentError::new(format_args!("--read-only: parameter {number} {why}")));
        }
        let size = |bound: &Bound| if let Bound::Buffer(array) = bound { array.bytes().len() as u64 } else { 0 };
        let sizes: Vec<u64> = self.bound.iter().map(size).collect();
        let mut args = place(&mut self.bound, memory, read_only);
        let mut arrays = Vec::new();
        for i in self.buffers.iter().copied() {
            let (owner, offset) = self.shared[i].as_ref().map_or((i, 0), |shared| (shared.parameter, shared.offset));
            let (Some(Arg::Pointer(start)), Some(bytes)) =
                (args.get(owner).copied(), sizes.get(owner).and_then(|size| size.checked_sub(offset)))
            else {
                let what = format!("parameter {i} shares the buffer of parameter {owner}, which has none, or not so many bytes");
                return Err(ArgumentError(what));
            };
            args[i] = Arg::Pointer(start + offset);
            arrays.push(Array::new(format!("parameter {i}"), start + offset, bytes));
        }
        Ok((args, arrays))
    }
}

/// An argument that is memory of another one.
#[derive(Debug)]
struct Shared {
    parameter: usize,
    /// In bytes.
    offset: u64,
}

impl Shared {
    /// Reads `&0+64`; gives none for other arguments.
    fn parse(text: &str) -> Result<Option<Shared>, ArgumentError> {
        let Some(rest) = text.strip_prefix('&') else { return Ok(None) };
        let (parameter, offset) = rest.split_once('+').unwrap_or((rest, "0"));
        match (parameter.parse(), offset.parse()) {
            (Ok(parameter), Ok(offset)) => Ok(Some(Shared { parameter, offset })),
            _ => Err(ArgumentError(format!("expected &PARAMETER or &PARAMETER+BYTES, found '{text}'"))),
        }
    }
}

/// An argument as [`bind`](fn@super::bind) takes it: one that shares memory is an empty buffer there.
fn bound_text(plan: &Plan, i: usize, text: &str, shares: bool) -> String {
    match plan.params().get(i) {
        Some(Param::Pointer(pointee)) if shares => format!("{pointee}[0]"),
        _ => text.strip_suffix(UNWRITTEN).unwrap_or(text).to_owned(),
    }
}
