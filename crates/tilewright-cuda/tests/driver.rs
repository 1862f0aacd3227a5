//! The whole interface, with the driver of `tilewright-ptx-driver` in the place of NVIDIA's: its GPU is the PTX machine.

use std::{
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};
use tilewright_cuda::{Buffer, Context, Cublas, CudaError, Driver, Element, Product, Stream, printed_by};
use tilewright_ptx_driver::library;

/// Adds a number to each of 64 words of `data`.
const ADD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry add(.param .u64 data, .param .u32 number)\n.reqntid 64\n{\n\
    .reg .b32 %t, %v, %n;\n.reg .b64 %a, %p;\nld.param.b64 %p, [data];\nld.param.b32 %n, [number];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %a, %t, 4;\n\
    add.s64 %a, %a, %p;\nld.global.b32 %v, [%a];\nadd.s32 %v, %v, %n;\nst.global.b32 [%a], %v;\nret;\n}\n";

/// Does what a body says.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n\
         .global .align 1 .b8 text[4] = {{72, 105, 10, 0}};\n.visible .entry k(.param .u64 p)\n.reqntid 1\n{{\n{body}\nret;\n}}\n"
    )
}

/// Tests of a process share a GPU, which some break and some fill.
fn alone() -> MutexGuard<'static, ()> {
    static GPU: Mutex<()> = Mutex::new(());
    GPU.lock().unwrap_or_else(PoisonError::into_inner)
}

fn context() -> Context {
    Driver::open(&library()).and_then(|driver| driver.device(0)?.context()).expect("the driver has a GPU")
}

/// Runs a body; gives the error of who waits.
fn run(body: &str) -> (Context, Result<(), CudaError>) {
    let context = context();
    let kernel = context.load(&kernel(body)).and_then(|module| module.kernel("k", 0)).expect("it is loaded");
    let stream = context.stream().expect("a stream");
    kernel.launch([1, 1, 1], &[0], &stream).expect("a launch is refused only for what is seen at once");
    let result = stream.synchronize();
    (context, result)
}

#[test]
fn a_kernel_works_on_buffers_in_the_order_of_its_stream() {
    let _alone = alone();
    let context = context();
    let kernel = context.load(ADD).and_then(|module| module.kernel("add", 0)).unwrap();
    let stream = context.stream().unwrap();
    let [data, copy] = [context.allocate(256).unwrap(), context.allocate(256).unwrap()];
    let [begin, end] = [context.event().unwrap(), context.event().unwrap()];
    let words: Vec<u8> = (0..64u32).flat_map(u32::to_le_bytes).collect();
    stream.write(&data, &words).unwrap();
    stream.record(&begin).unwrap();
    kernel.launch([1, 1, 1], &[data.address(), 5], &stream).unwrap();
    stream.copy(&data, &copy).unwrap();
    kernel.launch([1, 1, 1], &[data.address(), u64::from(u32::MAX)], &stream).unwrap();
    stream.record(&end).unwrap();
    let unfinished = end.seconds_since(&begin).unwrap_err().to_string();
    assert_eq!(unfinished, "cannot measure a time: device not ready (CUDA_ERROR_NOT_READY, 600)");
    let mut found = [vec![0; 256], vec![0; 256]];
    stream.read(&data, &mut found[0]).unwrap();
    stream.read(&copy, &mut found[1]).unwrap();
    let expected = |added: u32| (0..64).flat_map(|word| u32::to_le_bytes(word + added)).collect::<Vec<u8>>();
    assert_eq!(found, [expected(4), expected(5)]);
    assert!(end.seconds_since(&begin).unwrap() > 0.0);
}

#[test]
fn a_foreign_stream_is_the_default_one_or_any_other() {
    let _alone = alone();
    let context = context();
    let kernel = context.load(ADD).and_then(|module| module.kernel("add", 0)).unwrap();
    let data = context.allocate(256).unwrap();
    #[allow(unsafe_code, reason = "the default stream is always there")]
    // SAFETY: as above.
    let stream = unsafe { context.foreign_stream(0) };
    stream.write(&data, &[0; 256]).unwrap();
    kernel.launch([1, 1, 1], &[data.address(), 1], &stream).unwrap();
    #[allow(unsafe_code, reason = "as above")]
    // SAFETY: as above.
    let device = unsafe { Driver::open(&library()).unwrap().device_of_stream(0) };
    assert_eq!(device.unwrap().ordinal(), 0);
    let mut found = [0; 256];
    stream.read(&data, &mut found).unwrap();
    assert_eq!(found[..8], [1, 0, 0, 0, 1, 0, 0, 0]);
}

#[test]
fn gpus_say_what_they_are() {
    let _alone = alone();
    let driver = Driver::open(&library()).unwrap();
    let device = driver.device(0).unwrap();
    assert_eq!((device.ordinal(), device.name().unwrap().as_str()), (0, "PTX machine, sm_80"));
    assert_eq!((device.compute_capability().unwrap(), device.multiprocessors().unwrap()), ((8, 0), 1));
    assert_eq!(driver.version().unwrap(), (13, 0));
    assert_eq!(driver.device(3).unwrap_err().to_string(), "there is no GPU 3; the driver finds 0 (PTX machine, sm_80)");
}

#[test]
fn what_is_wrong_with_a_launch_is_said_before_the_driver_is_asked() {
    let _alone = alone();
    let context = context();
    let module = context.load(ADD).unwrap();
    let error = |result: Result<_, CudaError>| result.err().map(|error| error.to_string()).unwrap();
    assert_eq!(error(module.kernel("sub", 0).map(drop)), "the PTX has no entry 'sub'");
    let kernel = module.kernel("add", 0).unwrap();
    let stream = context.stream().unwrap();
    assert_eq!(error(kernel.launch([1, 1, 1], &[1], &stream)), "1 arguments, where the kernel has 2 parameters");
    let buffer = context.allocate(256).unwrap();
    assert_eq!(error(stream.write(&buffer, &[0; 9])), "9 bytes are copied to or from a buffer of 256");
    assert_eq!(
        error(kernel.launch([0, 1, 1], &[0, 0], &stream)),
        "cannot launch a grid of 0 x 1 x 1 blocks of 64 x 1 x 1 threads with 0 bytes of dynamic shared memory: invalid argument \
         (CUDA_ERROR_INVALID_VALUE, 1)"
    );
    // More than 48 KiB must be asked for, and there is a limit.
    assert!(module.kernel("add", 160 << 10).and_then(|kernel| kernel.launch([1, 1, 1], &[buffer.address(), 0], &stream)).is_ok());
    let too_much = error(module.kernel("add", 164 << 10).map(drop));
    assert!(too_much.starts_with("cannot give blocks of 'add' 167936 bytes of shared memory: invalid argument"), "{too_much}");
}

#[test]
fn a_kernel_that_fails_breaks_its_context_until_that_is_reset() {
    let _alone = alone();
    for (body, expected) in [
        ("trap;", "cannot run the kernel: unspecified launch failure (CUDA_ERROR_LAUNCH_FAILED, 719); the kernel stopped itself"),
        (".reg .b64 %a;\nmov.b64 %a, 64;\nst.global.b32 [%a], 1;", "cannot run the kernel: an illegal memory access"),
        (".reg .b64 %a;\nmov.b64 %a, 3;\nst.global.b32 [%a], 1;", "cannot run the kernel: misaligned address"),
    ] {
        let (context, result) = run(body);
        let error = result.unwrap_err();
        assert!(error.is_of_kernel() && error.to_string().starts_with(expected), "{error}");
        assert!(context.allocate(4).unwrap_err().is_of_kernel());
        let second = context.clone();
        assert_eq!(second.reset().unwrap_err().to_string(), "the context of GPU 0 is in use and cannot be reset");
        context.reset().unwrap();
        assert!(run("").1.is_ok());
    }
}

#[test]
fn memory_that_is_not_there_is_named() {
    let _alone = alone();
    let context = context();
    let error = context.allocate(5 << 30).unwrap_err().to_string();
    assert_eq!(
        error,
        "cannot allocate 5368709120 bytes on GPU 0: out of memory (CUDA_ERROR_OUT_OF_MEMORY, 2): 4294967296 bytes of 4294967296 are free; \
         use smaller arrays, or end what else uses the GPU (nvidia-smi lists it)"
    );
    assert!(context.allocate(0).unwrap().is_empty());
    // What is dropped is free again.
    for _ in 0..3 {
        context.allocate(3 << 30).unwrap();
    }
}

#[test]
fn ptx_that_the_driver_refuses_comes_with_the_words_of_its_compiler() {
    let _alone = alone();
    let context = context();
    let load = |from: &str, to: &str| context.load(&ADD.replace(from, to)).unwrap_err();
    let newer = load(".version 8.0", ".version 9.9").to_string();
    let log = "ptxas application ptx input, line 1; fatal : Unsupported .version 9.9; current version is '9.0'";
    assert!(newer.contains(log) && newer.ends_with("; the driver is older than the PTX: update it"), "{newer}");
    let target = load("sm_80", "sm_90");
    assert!(target.is_refusal() && target.to_string().contains("CUDA_ERROR_NO_BINARY_FOR_GPU"), "{target}");
    let unknown = load("add.s32", "frobnicate.s32");
    assert!(unknown.is_refusal() && unknown.to_string().contains("frobnicate"), "{unknown}");
    assert!(matches!(load("{\n", "("), CudaError::Ptx(_)));
}

#[test]
fn libraries_that_are_no_driver_are_named() {
    let _alone = alone();
    let missing = Driver::open(Path::new("no/libcuda.so")).unwrap_err().to_string();
    assert!(missing.starts_with("there is no CUDA driver: no/libcuda.so (") && missing.contains("TILEWRIGHT_CUDA_DRIVER"), "{missing}");
    // What the loader of the system says.
    assert!(!cfg!(target_os = "linux") || missing.contains("No such file or directory"), "{missing}");
    #[cfg(target_os = "linux")]
    {
        let other = Driver::open(Path::new("libc.so.6")).unwrap_err().to_string();
        assert!(other.starts_with("libc.so.6 is no CUDA driver of version 12.0 or later, because it has no function cuInit"), "{other}");
    }
}

#[test]
#[cfg(unix)]
fn what_a_kernel_prints_is_caught() {
    let _alone = alone();
    let print = ".reg .b64 %f;\n.param .b64 p0;\n.param .b64 p1;\n.param .b32 r0;\ncvta.global.u64 %f, text;\nst.param.b64 [p0], %f;\n\
                 st.param.b64 [p1], %f;\ncall (r0), vprintf, (p0, p1);";
    let ((_, result), text) = printed_by(|| run(print)).unwrap();
    result.unwrap();
    // The test's own runner may write there meanwhile.
    assert!(String::from_utf8_lossy(&text).contains("Hi\n"), "{text:?}");
}

/// Machine code that carries PTX, as far as the driver of the tests looks at it: an ELF file with three sections, the names of which are in the last one.
fn cubin(ptx: &str) -> Vec<u8> {
    let names = b"\0.nv_debug_ptx_txt\0.shstrtab\0";
    let text: Vec<u8> = ptx.bytes().map(|byte| if byte == b'\n' { 0 } else { byte }).collect();
    let (text_at, names_at) = (64, 64 + text.len());
    let table_at = (names_at + names.len()).next_multiple_of(8);
    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(16, 0);
    // What kind of file, for which machine; then the version, the entry, and where the tables are.
    file.extend([2u16, 190].iter().flat_map(|half| half.to_le_bytes()));
    file.extend(1u32.to_le_bytes());
    file.extend([0, 0, table_at as u64].iter().flat_map(|word| word.to_le_bytes()));
    file.extend(0u32.to_le_bytes());
    file.extend([64u16, 56, 0, 64, 3, 2].iter().flat_map(|half| half.to_le_bytes()));
    file.extend(text.iter().chain(names));
    file.resize(table_at, 0);
    file.extend([0; 64]);
    for (name, kind, at, len) in [(1u32, 1u32, text_at, text.len()), (19, 3, names_at, names.len())] {
        file.extend([name, kind].iter().flat_map(|half| half.to_le_bytes()));
        file.extend([0, 0, at as u64, len as u64, 0, 1, 0].iter().flat_map(|word| word.to_le_bytes()));
    }
    file
}

/// What `tileiras` writes of an entry that a kernel of tiles is.
fn of_tiles(text: &str) -> String {
    text.replace(".reqntid 64", ".reqntid 64\n.language 7")
}

#[test]
fn machine_code_is_launched_as_its_ptx_says() {
    let _alone = alone();
    let context = context();
    for text in [ADD.to_owned(), of_tiles(ADD)] {
        let kernel = context.load_cubin(&cubin(&text)).and_then(|module| module.kernel("add", 0)).unwrap();
        let stream = context.stream().unwrap();
        let data = context.allocate(256).unwrap();
        stream.write(&data, &[0; 256]).unwrap();
        // The second launch knows what the first one had to find out.
        for _ in 0..2 {
            kernel.launch([1, 1, 1], &[data.address(), 3], &stream).unwrap();
        }
        let mut found = vec![0; 256];
        stream.read(&data, &mut found).unwrap();
        assert_eq!(found, 6u32.to_le_bytes().repeat(64));
        let refused = kernel.launch([0, 1, 1], &[data.address(), 3], &stream).unwrap_err().to_string();
        assert!(refused.starts_with("cannot launch a grid of 0 x 1 x 1 blocks of "), "{refused}");
    }
}

#[test]
fn machine_code_that_cannot_be_used_is_refused() {
    let _alone = alone();
    let context = context();
    let refused = |cubin: &[u8]| context.load_cubin(cubin).unwrap_err().to_string();
    assert!(refused(b"no cubin").starts_with("this is no cubin: "));
    assert_eq!(
        refused(&cubin(&ADD.replace("sm_80", "sm_90a"))),
        refused(&cubin(&ADD.replace("sm_80", "sm_90"))).replace("sm_90", "sm_90a")
    );
    let other = refused(&cubin(&ADD.replace("sm_80", "sm_90a")));
    assert!(other.starts_with("cannot load the cubin on GPU 0: no kernel image is available for execution on the device"), "{other}");
    let hidden = of_tiles(ADD).replace(".param .u32 number)", ".param .u32 number, .hidden .param .align 64 .b8 map[128])");
    let kernel = context.load_cubin(&cubin(&hidden)).and_then(|module| module.kernel("add", 0));
    let old = kernel.unwrap_err().to_string();
    assert_eq!(old, "'add' has parameters that drivers for CUDA 13.1 and later fill themselves, and this one is for 13.0");
}

fn bytes_of(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn matrices_are_multiplied_by_cublas() {
    let _alone = alone();
    let context = context();
    let stream = context.stream().unwrap();
    let cublas = Cublas::open(&context, &library()).unwrap();
    assert_eq!(cublas.version().unwrap(), "13.1.0");
    // Two products: of 2 rows and 3 columns, of 2 terms each.
    let (a, b) = ([1.0, 2.0, 3.0, 4.0, -1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 2.0, 0.0, 1.0, 3.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]);
    let expected = [1.0, 2.0, 8.0, 3.0, 4.0, 18.0, -5.0, -6.0, -7.0, 8.0, 9.0, 10.0];
    let product = Product { batch: 2, m: 2, n: 3, k: 2, element: Element::Tf32 };
    let filled = |content: &[u8], stream: &Stream| -> Buffer {
        let buffer = context.allocate(content.len()).unwrap();
        stream.write(&buffer, content).unwrap();
        buffer
    };
    let buffers = [filled(&bytes_of(&a), &stream), filled(&bytes_of(&b), &stream), filled(&[0; 48], &stream)];
    cublas.multiply(&product, [&buffers[0], &buffers[1], &buffers[2]], &stream).unwrap();
    let mut found = vec![0; 48];
    stream.read(&buffers[2], &mut found).unwrap();
    assert_eq!(found, bytes_of(&expected));
    // Of bytes, the result is of words.
    let bytes = Product { batch: 1, m: 1, n: 1, k: 4, element: Element::I8 };
    let buffers = [filled(&[255, 2, 3, 4], &stream), filled(&[1, 1, 1, 128], &stream), filled(&[0; 4], &stream)];
    cublas.multiply(&bytes, [&buffers[0], &buffers[1], &buffers[2]], &stream).unwrap();
    let mut found = [0; 4];
    stream.read(&buffers[2], &mut found).unwrap();
    assert_eq!(i32::from_le_bytes(found), -1 + 2 + 3 - 512);
    let small = cublas.multiply(&Product { k: 5, ..bytes }, [&buffers[0], &buffers[1], &buffers[2]], &stream).unwrap_err();
    assert!(small.to_string().ends_with("do not fit their buffers"), "{small}");
    let huge = Product { m: usize::MAX / 2 + 1, n: 4, k: 4, ..bytes };
    let overflowing = cublas.multiply(&huge, [&buffers[0], &buffers[1], &buffers[2]], &stream).unwrap_err();
    assert!(overflowing.to_string().ends_with("do not fit their buffers"), "{overflowing}");
}

#[test]
fn cublas_that_is_not_there_is_said_to_be_missing() {
    let _alone = alone();
    let context = context();
    let missing = Cublas::open(&context, Path::new("no/libcublas.so")).unwrap_err().to_string();
    assert!(missing.starts_with("cuBLAS is not here, or cannot be loaded: tried no/libcublas.so; TILEWRIGHT_CUBLAS may name"), "{missing}");
}
