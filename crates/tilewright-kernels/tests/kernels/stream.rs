use tilewright_kernels::{
    cpu::Level,
    stream::{copy, fence},
};

#[test]
fn every_byte_arrives_wherever_it_lies() {
    let source: Vec<u8> = (0..1000).map(|i| (i * 37 % 251) as u8).collect();
    for level in Level::available() {
        for (start, bytes) in [(0, 1000), (1, 130), (5, 40), (63, 200), (64, 64), (3, 0), (4, 900), (16, 36), (20, 1000)] {
            let mut found = vec![0u8; 1100];
            // SAFETY: the arrays hold the bytes.
            unsafe { copy(level, source.as_ptr(), found.as_mut_ptr().add(start), bytes) };
            fence();
            assert_eq!(found[start..][..bytes], source[..bytes]);
            assert!(found[..start].iter().chain(&found[start + bytes..]).all(|&byte| byte == 0), "{start}, {bytes} at {level:?}");
        }
    }
}
