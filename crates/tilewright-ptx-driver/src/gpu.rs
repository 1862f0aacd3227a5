//! A GPU: memory, modules, streams and events, and the PTX machine that does what is on the streams.

use crate::{codes::*, product::Product, settings::SETTINGS};
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    io::Write as _,
    sync::{
        Arc, LazyLock, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};
use tilewright_ptx::{
    Module,
    machine::{Buffer, LaunchError, LaunchErrorKind, LaunchOptions, Memory, Program},
};

/// The GPUs.
pub(crate) static GPUS: LazyLock<Vec<Mutex<Gpu>>> = LazyLock::new(|| (0..SETTINGS.devices).map(|_| Mutex::new(Gpu::default())).collect());

/// A stream's handle; 0 is the default stream.
pub(crate) type Stream = usize;

/// Shared memory that a block may have without being asked for.
const USUAL_SHARED: u32 = 48 << 10;

#[derive(Default)]
pub(crate) struct Gpu {
    memory: Memory,
    /// Buffers and their bytes, by address.
    buffers: BTreeMap<u64, (Buffer, usize)>,
    used: usize,
    modules: BTreeMap<usize, Arc<Loaded>>,
    kernels: BTreeMap<usize, Kernel>,
    /// Streams, and whether they wait for the default stream.
    streams: BTreeMap<Stream, bool>,
    /// Events, and when they were recorded, if that is done.
    events: BTreeMap<usize, Recorded>,
    /// What was begun, in order.
    begun: VecDeque<(Stream, Work)>,
    launches: u64,
    /// What every function gives once a kernel has failed.
    fault: Option<Code>,
    pub(crate) retained: usize,
}

#[derive(Clone, Copy)]
enum Recorded {
    Never,
    Begun,
    At(Instant),
}

struct Loaded {
    module: Module,
    program: Program,
    /// Whether it was machine code, and the driver knows kernels of tiles: blocks of these are launched with one thread, and get theirs from the driver.
    knows_tiles: bool,
}

#[derive(Clone)]
struct Kernel {
    loaded: Arc<Loaded>,
    module: usize,
    entry: String,
    most_dynamic_shared: u32,
}

/// What is done on a stream.
enum Work {
    Launch {
        kernel: Kernel,
        grid: [u32; 3],
        args: Vec<u64>,
        dynamic_shared: u32,
    },
    Write {
        address: u64,
        bytes: Vec<u8>,
    },
    /// To memory of the host, by its address.
    Read {
        address: u64,
        bytes: usize,
        target: usize,
    },
    Copy {
        to: u64,
        from: u64,
        bytes: usize,
    },
    Record(usize),
    Product(Product),
}

/// What a launch is begun with.
pub(crate) struct Launch {
    pub(crate) kernel: usize,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) dynamic_shared: u32,
    pub(crate) stream: Stream,
}

/// Runs on a GPU that no kernel has broken.
pub(crate) fn with<T>(ordinal: usize, action: impl FnOnce(&mut Gpu) -> Result<T, Code>) -> Result<T, Code> {
    let gpu = GPUS.get(ordinal).ok_or(ERROR_INVALID_DEVICE)?;
    let mut gpu = gpu.lock().unwrap_or_else(PoisonError::into_inner);
    match gpu.fault {
        Some(fault) => Err(fault),
        None => action(&mut gpu),
    }
}

/// Forgets all that lies on a GPU.
pub(crate) fn reset(ordinal: usize) -> Result<(), Code> {
    let gpu = GPUS.get(ordinal).ok_or(ERROR_INVALID_DEVICE)?;
    let mut gpu = gpu.lock().unwrap_or_else(PoisonError::into_inner);
    *gpu = Gpu { retained: gpu.retained, ..Gpu::default() };
    Ok(())
}

fn log(line: &str) {
    if let Some(mut file) = SETTINGS.log.as_ref() {
        file.write_all(format!("{line}\n").as_bytes()).expect("the log can be written");
    }
}

impl Gpu {
    /// A handle that no other GPU has given.
    fn handle(&self) -> usize {
        static LAST: AtomicUsize = AtomicUsize::new(0);
        LAST.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn free_memory(&self) -> usize {
        SETTINGS.memory - self.used
    }

    pub(crate) fn allocate(&mut self, bytes: usize) -> Result<u64, Code> {
        if bytes == 0 {
            return Err(ERROR_INVALID_VALUE);
        }
        if bytes > self.free_memory() {
            return Err(ERROR_OUT_OF_MEMORY);
        }
        self.used += bytes;
        // Whoever reads what nobody has written shall not find zeros; but the system gives large zeros only when they are touched.
        const LARGE: usize = 16 << 20;
        let content = if bytes < LARGE { vec![0xA5; bytes] } else { vec![0; bytes] };
        let buffer = self.memory.add(content);
        let address = self.memory.address(buffer);
        self.buffers.insert(address, (buffer, bytes));
        Ok(address)
    }

    pub(crate) fn free(&mut self, address: u64) -> Result<(), Code> {
        self.finish_all()?;
        let (buffer, bytes) = self.buffers.remove(&address).ok_or(ERROR_INVALID_VALUE)?;
        self.memory.remove(buffer);
        self.used -= bytes;
        Ok(())
    }

    /// The buffer with all of these bytes, and where in it they begin.
    fn find(&self, address: u64, bytes: usize) -> Result<(Buffer, usize), Code> {
        let (base, (buffer, size)) = self.buffers.range(..=address).next_back().ok_or(ERROR_INVALID_VALUE)?;
        let at = (address - base) as usize;
        let fits = at.checked_add(bytes).is_some_and(|end| end <= *size);
        fits.then_some((*buffer, at)).ok_or(ERROR_INVALID_VALUE)
    }

    /// Whether an address lies in memory of the GPU.
    pub(crate) fn has(&self, address: u64) -> bool {
        self.find(address, 1).is_ok()
    }

    /// Loads PTX. What is wrong with it goes with the result.
    pub(crate) fn load(&mut self, text: &str) -> Result<usize, (Code, String)> {
        let refused = |code, why: String| (code, format!("ptxas application ptx input, {why}"));
        let module = tilewright_ptx::parse(text).map_err(|error| refused(ERROR_INVALID_PTX, error.to_string()))?;
        let ((major, minor), newest) = (module.version, SETTINGS.ptx);
        if module.version > newest {
            let why = format!("line 1; fatal : Unsupported .version {major}.{minor}; current version is '{}.{}'", newest.0, newest.1);
            return Err(refused(ERROR_UNSUPPORTED_PTX_VERSION, why));
        }
        if target(&module).is_none_or(|target| target > SETTINGS.capability.0 * 10 + SETTINGS.capability.1) {
            return Err(refused(ERROR_NO_BINARY_FOR_GPU, format!("target {:?}", module.target)));
        }
        let program = Program::new(&module).map_err(|error| refused(ERROR_INVALID_PTX, error.to_string()))?;
        Ok(self.add_module(Loaded { module, program, knows_tiles: false }))
    }

    /// Loads machine code, which runs as the PTX that it carries. It is for GPUs of one generation.
    pub(crate) fn load_cubin(&mut self, cubin: &[u8]) -> Result<usize, (Code, String)> {
        let text = tilewright_ptx::cubin::ptx(cubin).map_err(|error| (ERROR_INVALID_IMAGE, error.to_string()))?;
        let module = tilewright_ptx::parse(&text).map_err(|error| (ERROR_INVALID_IMAGE, error.to_string()))?;
        let (major, minor) = SETTINGS.capability;
        if target(&module).is_none_or(|target| target / 10 != major || target % 10 > minor) {
            return Err((ERROR_NO_BINARY_FOR_GPU, format!("target {:?}", module.target)));
        }
        let program = Program::new(&module).map_err(|error| (ERROR_NOT_SUPPORTED, error.to_string()))?;
        Ok(self.add_module(Loaded { module, program, knows_tiles: SETTINGS.tiles }))
    }

    fn add_module(&mut self, loaded: Loaded) -> usize {
        let handle = self.handle();
        log(&format!("load {}", loaded.program.entries().collect::<Vec<_>>().join(", ")));
        self.modules.insert(handle, Arc::new(loaded));
        handle
    }

    pub(crate) fn unload(&mut self, module: usize) -> Result<(), Code> {
        self.kernels.retain(|_, kernel| kernel.module != module);
        self.modules.remove(&module).map(drop).ok_or(ERROR_INVALID_HANDLE)
    }

    pub(crate) fn kernel(&mut self, module: usize, entry: &str) -> Result<usize, Code> {
        let loaded = self.modules.get(&module).ok_or(ERROR_INVALID_HANDLE)?.clone();
        loaded.module.entry(entry).ok_or(ERROR_NOT_FOUND)?;
        let handle = self.handle();
        self.kernels.insert(handle, Kernel { loaded, module, entry: entry.to_owned(), most_dynamic_shared: USUAL_SHARED });
        Ok(handle)
    }

    pub(crate) fn allow_dynamic_shared(&mut self, kernel: usize, bytes: u32) -> Result<(), Code> {
        let most = match SETTINGS.capability {
            (8, 0) => 163 << 10,
            (9 | 10, _) => 227 << 10,
            _ => 99 << 10,
        };
        let kernel = self.kernels.get_mut(&kernel).ok_or(ERROR_INVALID_HANDLE)?;
        if bytes > most {
            return Err(ERROR_INVALID_VALUE);
        }
        kernel.most_dynamic_shared = bytes;
        Ok(())
    }

    /// The bytes that each parameter of a kernel has.
    pub(crate) fn params(&self, kernel: usize) -> Result<Vec<usize>, Code> {
        let kernel = self.kernels.get(&kernel).ok_or(ERROR_INVALID_HANDLE)?;
        let params = kernel.loaded.program.params(&kernel.entry).ok_or(ERROR_NOT_FOUND)?;
        Ok(params.into_iter().map(|(_, bytes)| bytes as usize).collect())
    }

    pub(crate) fn launch(&mut self, launch: &Launch, args: Vec<u64>) -> Result<(), Code> {
        let Launch { grid, block, dynamic_shared, stream, .. } = *launch;
        self.check_stream(stream)?;
        let kernel = self.kernels.get(&launch.kernel).ok_or(ERROR_INVALID_HANDLE)?.clone();
        let entry = kernel.loaded.module.entry(&kernel.entry);
        let is_of_tiles = kernel.loaded.knows_tiles && entry.is_some_and(|entry| entry.directive("language").is_some());
        let declared = if is_of_tiles { Some([1; 3]) } else { entry.and_then(|entry| entry.block()) };
        let is_possible = declared.is_none_or(|declared| declared == block)
            && dynamic_shared <= kernel.most_dynamic_shared
            && !grid.contains(&0)
            && grid[1..].iter().all(|extent| *extent < 1 << 16);
        if !is_possible {
            return Err(ERROR_INVALID_VALUE);
        }
        log(&format!("launch {}, grid {grid:?}, block {block:?}, {dynamic_shared} bytes, stream {stream}", kernel.entry));
        self.begun.push_back((stream, Work::Launch { kernel, grid, args, dynamic_shared }));
        Ok(())
    }

    pub(crate) fn write(&mut self, address: u64, bytes: Vec<u8>, stream: Stream) -> Result<(), Code> {
        self.check_stream(stream)?;
        self.find(address, bytes.len())?;
        self.begun.push_back((stream, Work::Write { address, bytes }));
        Ok(())
    }

    /// Begins a copy to memory of the host.
    pub(crate) fn read(&mut self, target: usize, address: u64, bytes: usize, stream: Stream) -> Result<(), Code> {
        self.check_stream(stream)?;
        self.find(address, bytes)?;
        self.begun.push_back((stream, Work::Read { address, bytes, target }));
        Ok(())
    }

    pub(crate) fn copy(&mut self, to: u64, from: u64, bytes: usize, stream: Stream) -> Result<(), Code> {
        self.check_stream(stream)?;
        self.find(to, bytes)?;
        self.find(from, bytes)?;
        self.begun.push_back((stream, Work::Copy { to, from, bytes }));
        Ok(())
    }

    /// Begins a product of matrices.
    pub(crate) fn multiply(&mut self, product: Product, stream: Stream) -> Result<(), Code> {
        self.check_stream(stream)?;
        for (address, bytes) in product.places() {
            self.find(address, bytes)?;
        }
        log(&format!("multiply {product:?}, stream {stream}"));
        self.begun.push_back((stream, Work::Product(product)));
        Ok(())
    }

    pub(crate) fn new_stream(&mut self, waits_for_default: bool) -> Stream {
        let handle = self.handle();
        self.streams.insert(handle, waits_for_default);
        handle
    }

    pub(crate) fn check_stream(&self, stream: Stream) -> Result<(), Code> {
        (stream == 0 || self.streams.contains_key(&stream)).then_some(()).ok_or(ERROR_INVALID_HANDLE)
    }

    pub(crate) fn destroy_stream(&mut self, stream: Stream) -> Result<(), Code> {
        self.finish(stream)?;
        self.streams.remove(&stream).map(drop).ok_or(ERROR_INVALID_HANDLE)
    }

    pub(crate) fn new_event(&mut self) -> usize {
        let handle = self.handle();
        self.events.insert(handle, Recorded::Never);
        handle
    }

    pub(crate) fn destroy_event(&mut self, event: usize) -> Result<(), Code> {
        self.events.remove(&event).map(drop).ok_or(ERROR_INVALID_HANDLE)
    }

    pub(crate) fn record(&mut self, event: usize, stream: Stream) -> Result<(), Code> {
        self.check_stream(stream)?;
        *self.events.get_mut(&event).ok_or(ERROR_INVALID_HANDLE)? = Recorded::Begun;
        self.begun.push_back((stream, Work::Record(event)));
        Ok(())
    }

    /// The milliseconds between two events.
    pub(crate) fn elapsed(&self, start: usize, end: usize) -> Result<f32, Code> {
        let time = |event| match self.events.get(&event) {
            None | Some(Recorded::Never) => Err(ERROR_INVALID_HANDLE),
            Some(Recorded::Begun) => Err(ERROR_NOT_READY),
            Some(Recorded::At(time)) => Ok(*time),
        };
        let (start, end) = (time(start)?, time(end)?);
        Ok(end.duration_since(start).as_secs_f32() * 1e3)
    }

    /// Does what was begun on a stream. The default stream and those that wait for it go in the order in which things were begun.
    pub(crate) fn finish(&mut self, stream: Stream) -> Result<(), Code> {
        self.check_stream(stream)?;
        let in_order = |stream: Stream, streams: &BTreeMap<Stream, bool>| stream == 0 || streams.get(&stream) == Some(&true);
        let together: BTreeSet<Stream> = if in_order(stream, &self.streams) {
            self.streams.keys().copied().chain([0]).filter(|other| in_order(*other, &self.streams)).collect()
        } else {
            [stream].into()
        };
        self.finish_those(|other| together.contains(&other))
    }

    /// Does all that was begun.
    pub(crate) fn finish_all(&mut self) -> Result<(), Code> {
        self.finish_those(|_| true)
    }

    fn finish_those(&mut self, belongs: impl Fn(Stream) -> bool) -> Result<(), Code> {
        let (now, later): (VecDeque<_>, VecDeque<_>) =
            std::mem::take(&mut self.begun).into_iter().partition(|(stream, _)| belongs(*stream));
        self.begun = later;
        for (_, work) in now {
            if let Err(code) = self.carry_out(work) {
                self.fault = Some(code);
                self.begun.clear();
                return Err(code);
            }
        }
        Ok(())
    }

    fn carry_out(&mut self, work: Work) -> Result<(), Code> {
        match work {
            Work::Launch { kernel, grid, args, dynamic_shared } => self.run(&kernel, grid, &args, dynamic_shared)?,
            Work::Write { address, bytes } => {
                let (buffer, at) = self.find(address, bytes.len())?;
                self.memory.bytes_mut(buffer)[at..at + bytes.len()].copy_from_slice(&bytes);
            }
            Work::Read { address, bytes, target } => {
                let (buffer, at) = self.find(address, bytes)?;
                crate::exports::copy_to_host(target, &self.memory.bytes(buffer)[at..at + bytes]);
            }
            Work::Copy { to, from, bytes } => {
                let (source, at) = self.find(from, bytes)?;
                let content = self.memory.bytes(source)[at..at + bytes].to_vec();
                let (target, at) = self.find(to, bytes)?;
                self.memory.bytes_mut(target)[at..at + bytes].copy_from_slice(&content);
            }
            Work::Product(product) => {
                let [a, b, c] = product.places();
                let bytes = |(address, bytes)| self.find(address, bytes).map(|(buffer, at)| (buffer, at..at + bytes));
                let [(a, in_a), (b, in_b), (c, in_c)] = [bytes(a)?, bytes(b)?, bytes(c)?];
                let result = product.multiply(&self.memory.bytes(a)[in_a], &self.memory.bytes(b)[in_b]);
                self.memory.bytes_mut(c)[in_c].copy_from_slice(&result);
            }
            Work::Record(event) => {
                if let Some(recorded) = self.events.get_mut(&event) {
                    *recorded = Recorded::At(Instant::now());
                }
            }
        }
        Ok(())
    }

    fn run(&mut self, kernel: &Kernel, grid: [u32; 3], args: &[u64], dynamic_shared: u32) -> Result<(), Code> {
        // Each launch has another order of blocks and warps.
        let options = LaunchOptions::new().seed(self.launches).dynamic_shared(dynamic_shared);
        self.launches += 1;
        let result = kernel.loaded.program.launch(&kernel.entry, grid, args, &mut self.memory, &options);
        let (report, code) = match &result {
            Ok(report) => (report, None),
            Err(error) => {
                log(&format!("failed: {error}"));
                (&*error.report, Some(code_of(error)))
            }
        };
        report.findings.iter().for_each(|finding| log(&format!("found: {finding}")));
        crate::exports::print(&report.printed);
        code.map_or(Ok(()), Err)
    }
}

/// The compute capability that a module is for, as a number: 80 of `sm_80`, 90 of `sm_90a`.
fn target(module: &Module) -> Option<u32> {
    module.target.first()?.strip_prefix("sm_")?.trim_end_matches(['a', 'f']).parse().ok()
}

fn code_of(error: &LaunchError) -> Code {
    match &error.kind {
        LaunchErrorKind::Invalid(_) => ERROR_INVALID_VALUE,
        LaunchErrorKind::Access(what) if what.contains("not aligned") => ERROR_MISALIGNED_ADDRESS,
        LaunchErrorKind::Access(_) => ERROR_ILLEGAL_ADDRESS,
        LaunchErrorKind::Trap => ERROR_LAUNCH_FAILED,
        LaunchErrorKind::Deadlock(_) | LaunchErrorKind::Limit(_) => ERROR_LAUNCH_TIMEOUT,
    }
}
