use tilewright_ir::{RoundingMode, Scalar};
use tilewright_kernels::{ElemOp, cpu::Level, select_at};
use tilewright_numeric::bulk;
use tilewright_passes::elem::Elem;

fn run<T, R: Clone + Default>(level: Level, [src, dst]: [Scalar; 2], from: &[T]) -> Vec<R> {
    let [src, dst] = [src, dst].map(Elem::Num);
    let kernel = select_at(level, ElemOp::FToF(RoundingMode::NearestEven), &[src], dst).unwrap();
    let mut to = vec![R::default(); from.len()];
    // SAFETY: both arrays have as many elements.
    unsafe { (kernel.run)(to.as_mut_ptr().cast(), [from.as_ptr().cast(); 3], from.len(), &kernel.imm) };
    to
}

#[test]
fn every_level_widens_every_number_alike() {
    let all: Vec<u16> = (0..=u16::MAX).chain([1; 5]).collect();
    let expected: Vec<u32> = all.iter().map(|half| bulk::f16_to_f32(*half).to_bits()).collect();
    for level in Level::available() {
        assert!(run::<_, u32>(level, [Scalar::F16, Scalar::F32], &all) == expected, "{level:?}");
    }
}

#[test]
fn every_level_rounds_alike() {
    // Numbers of `f16`, the middle between neighbours, what is just beside both, and NaNs of all kinds.
    let beside = |bits: u32| [bits, bits.wrapping_sub(1), bits + 1, bits + 0x0fff, bits + 0x1000, bits + 0x1001];
    let numbers = (0..=u16::MAX).flat_map(|half| beside(bulk::f16_to_f32(half).to_bits()));
    let tiny = (0..1 << 15).map(|i| 0x3300_0000 + (i << 8));
    let all: Vec<u32> = numbers.chain(tiny).chain([0x7f80_0001, 0xff80_0001, 0xffff_ffff]).collect();
    let expected: Vec<u16> = all.iter().map(|bits| bulk::f32_to_f16(f32::from_bits(*bits))).collect();
    for level in Level::available() {
        assert!(run::<_, u16>(level, [Scalar::F32, Scalar::F16], &all) == expected, "{level:?}");
    }
}
