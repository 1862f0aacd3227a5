//! Counts on kernels whose counts are known.

use std::{fs, path::Path};
use tilewright::{
    bytecode,
    stats::{FileStats, FunctionStats, Stats},
};

fn bytes(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/corpus/cases/{name}/{name}.13.4.tilebc"));
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The counts of the only function of a case.
fn function(name: &str) -> FunctionStats {
    let stats = Stats::of_module(&bytecode::read(&bytes(name)).unwrap());
    assert_eq!(stats.functions.len(), 1);
    stats.functions.into_iter().next().unwrap()
}

#[test]
fn a_matrix_product_takes_2_m_n_k_flops() {
    let stats = function("matmul_f16");
    let [mma] = &stats.work[..] else { panic!("one product expected, found {:?}", stats.work) };
    assert_eq!((mma.operation, mma.flops), ("mmaf", 2 * 32 * 32 * 16));
    assert_eq!(mma.times.to_string(), "n0");
    assert_eq!(stats.mma_flops.to_string(), "32768 x n0");
    // Two tiles of f16 are loaded in each iteration, and one is stored.
    let moved: Vec<_> = stats.accesses.iter().map(|a| (a.operation, a.bytes, a.base.as_deref())).collect();
    let expected = [
        ("load_view_tko", 32 * 16 * 2, Some("%arg0")),
        ("load_view_tko", 16 * 32 * 2, Some("%arg5")),
        ("store_view_tko", 32 * 32 * 2, Some("%arg10")),
    ];
    assert_eq!(moved, expected);
    assert_eq!(stats.bytes.to_string(), "2048 + 2048 x n0");
    let intensity = stats.intensity.unwrap();
    assert_eq!((intensity.flops_per_byte, intensity.as_grows.as_deref()), (16.0, Some("n0")));
}

#[test]
fn integer_products_are_no_flops() {
    let stats = function("matmul_i8");
    assert!(stats.mma_flops.terms.is_empty());
    assert!(!stats.mma_int_ops.terms.is_empty());
    assert!(stats.work.iter().any(|w| w.operation == "mmai"));
}

#[test]
fn elementwise_operations_take_a_flop_for_each_element() {
    let stats = function("vector_add");
    assert_eq!(stats.other_flops.to_string(), "128");
    assert_eq!(stats.bytes.to_string(), (3 * 128 * 4).to_string());
    let intensity = stats.intensity.unwrap();
    assert_eq!((intensity.flops_per_byte, intensity.as_grows), (128.0 / 1536.0, None));
}

#[test]
fn reductions_combine_all_elements_but_one() {
    let stats = function("softmax_rows");
    let work = |name: &str| stats.work.iter().find(|w| w.operation == name).unwrap();
    assert_eq!(work("maxf").total.to_string(), "127 x n0");
    assert_eq!(work("exp").total.to_string(), "128 x n0");
    assert_eq!(stats.loops.len(), 1);
    assert_eq!(stats.nesting, 2);
}

#[test]
fn the_bytes_of_a_file_add_up() {
    for name in ["matmul_f16", "flash_attention", "print_values"] {
        let bytes = bytes(name);
        let stats = FileStats::of_file(&bytes);
        assert_eq!(stats.bytes, bytes.len());
        // The end mark belongs to no section.
        assert_eq!(stats.sections.iter().map(|s| s.bytes).sum::<usize>() + 1, bytes.len(), "{name}");
        let module = bytecode::read(&bytes).unwrap();
        let ops: usize = module.functions.iter().map(|f| f.body.num_ops()).sum();
        assert!(stats.operation_bytes > 2 * ops && stats.unused == 0, "{name}: {stats:?}");
        let totals = Stats::of_module(&module).totals;
        assert_eq!(totals.by_operation.iter().map(|c| c.count).sum::<usize>(), ops);
        assert_eq!(totals.types.iter().map(|c| c.count).sum::<usize>(), totals.values);
    }
}
