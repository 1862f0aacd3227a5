//! Arguments to begin with, where nobody has said any.

use tilewright::{exec::Param, ir::Scalar};

/// Elements of the arrays.
const EXTENT: u64 = 64;

/// An argument for each parameter. Kernels of cuTile take for each array its pointer, its extents and its strides: a pointer with an even
/// number of integers behind it is taken to be such an array.
pub(crate) fn arguments(params: &[Param]) -> Vec<String> {
    let mut arguments = Vec::new();
    let mut rest = params;
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        match first {
            Param::Scalar(scalar) => arguments.push(scalar_argument(*scalar)),
            Param::Pointer(pointee) => {
                let follow = rest.iter().take_while(|param| matches!(param, Param::Scalar(Scalar::I32 | Scalar::I64))).count();
                let rank = if follow % 2 == 0 { follow / 2 } else { 0 };
                // Of a tensor with many dimensions, each is small.
                let extent = if rank > 2 { 8 } else { EXTENT };
                let shape = vec![extent.to_string(); rank.max(1)].join("x");
                arguments.push(format!("{pointee}[{shape}]=random"));
                let strides = (0..rank).map(|dim| extent.pow((rank - 1 - dim) as u32));
                let sizes = std::iter::repeat_n(extent, rank).chain(strides);
                arguments.extend(std::iter::zip(&rest[..2 * rank], sizes).map(|(param, size)| match param {
                    Param::Scalar(scalar) | Param::Pointer(scalar) => format!("{scalar}:{size}"),
                }));
                rest = &rest[2 * rank..];
            }
        }
    }
    arguments
}

fn scalar_argument(scalar: Scalar) -> String {
    match scalar {
        Scalar::I1 => "i1:true".to_owned(),
        scalar if scalar.is_int() => format!("{scalar}:{EXTENT}"),
        scalar => format!("{scalar}:1"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_have_extents_and_strides() {
        let (pointer, i32) = (Param::Pointer(Scalar::F32), Param::Scalar(Scalar::I32));
        let matrix = ["f32[64x64]=random", "i32:64", "i32:64", "i32:64", "i32:1"];
        assert_eq!(arguments(&[pointer, i32, i32, i32, i32]), matrix);
        assert_eq!(arguments(&[pointer, i32]), ["f32[64]=random", "i32:64"]);
        assert_eq!(arguments(&[Param::Scalar(Scalar::I8), Param::Scalar(Scalar::F16)]), ["i8:64", "f16:1"]);
    }

    /// The four arguments of a matrix; of what has the most dimensions, all.
    #[test]
    fn many_dimensions_are_small() {
        let i32 = Param::Scalar(Scalar::I32);
        let params: Vec<Param> = std::iter::once(Param::Pointer(Scalar::F32)).chain([i32; 6]).collect();
        assert_eq!(arguments(&params), ["f32[8x8x8]=random", "i32:8", "i32:8", "i32:8", "i32:64", "i32:8", "i32:1"]);
    }
}
