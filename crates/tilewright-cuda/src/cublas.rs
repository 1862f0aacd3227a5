//! Products of matrices by cuBLAS, where a machine has it: what products of our own are compared with.
#![allow(unsafe_code, reason = "the interface of cuBLAS is one of C")]

use crate::{Buffer, Context, Stream, api::Handle, error::CudaError};
use libloading::Library;
use std::{
    env,
    ffi::{c_int, c_longlong, c_void},
    fmt,
    mem::ManuallyDrop,
    path::{Path, PathBuf},
    ptr,
};

/// The variable of the environment that names the library.
pub const CUBLAS_VARIABLE: &str = "TILEWRIGHT_CUBLAS";

/// Where the library is looked for if the variable names none, newest first.
#[cfg(windows)]
const LIBRARIES: [&str; 2] = ["cublas64_13.dll", "cublas64_12.dll"];
/// Where the library is looked for if the variable names none, newest first.
#[cfg(not(windows))]
const LIBRARIES: [&str; 3] = ["libcublas.so.13", "libcublas.so.12", "libcublas.so"];

/// What matrices of a product hold. Its factors have one type, and sums are f32, or i32 of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    /// Half precision.
    F16,
    /// The upper half of f32.
    Bf16,
    /// f32, whose factors are rounded to 10 bits behind the point.
    Tf32,
    /// Double precision, in which sums are, too.
    F64,
    /// Bytes with a sign; the result is i32.
    I8,
}

impl Element {
    /// The types of factors and of results, and the number of the type of sums in `cublasComputeType_t`.
    fn types(self) -> (DataType, DataType, c_int) {
        const F16: DataType = DataType { code: 2, bytes: 2 };
        const BF16: DataType = DataType { code: 14, bytes: 2 };
        const F32: DataType = DataType { code: 0, bytes: 4 };
        const F64: DataType = DataType { code: 1, bytes: 8 };
        const I8: DataType = DataType { code: 3, bytes: 1 };
        const I32: DataType = DataType { code: 10, bytes: 4 };
        match self {
            Element::F16 => (F16, F16, 68),
            Element::Bf16 => (BF16, BF16, 68),
            Element::Tf32 => (F32, F32, 77),
            Element::F64 => (F64, F64, 70),
            Element::I8 => (I8, I32, 72),
        }
    }
}

/// A type of elements: its number in `cudaDataType`, and its size.
#[derive(Clone, Copy)]
struct DataType {
    code: c_int,
    bytes: usize,
}

/// Products of matrices whose rows lie one after the other: `batch` times a matrix of `m` rows and `k` columns with one of `k` rows and `n` columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Product {
    /// How many.
    pub batch: usize,
    /// Rows of the result.
    pub m: usize,
    /// Columns of the result.
    pub n: usize,
    /// What is summed up for an element.
    pub k: usize,
    /// What the matrices hold.
    pub element: Element,
}

/// A status: 0 is success.
type Status = c_int;

macro_rules! functions {
    ($($field:ident = $symbol:literal ($($argument:ty),*);)*) => {
        struct Functions {
            $($field: unsafe extern "C" fn($($argument),*) -> Status,)*
        }

        impl Functions {
            /// Looks all of them up; the name of the first one that is missing is the error.
            ///
            /// # Safety
            /// The library is one whose functions of these names are those of cuBLAS.
            unsafe fn find(library: &Library) -> Result<Functions, &'static str> {
                Ok(Functions {
                    // SAFETY: functions of cuBLAS have these types: see cublas_api.h.
                    $($field: *unsafe { library.get(concat!($symbol, "\0")) }.map_err(|_| $symbol)?,)*
                })
            }
        }
    };
}

functions! {
    create = "cublasCreate_v2"(*mut Handle);
    destroy = "cublasDestroy_v2"(Handle);
    version = "cublasGetVersion_v2"(Handle, *mut c_int);
    set_stream = "cublasSetStream_v2"(Handle, Handle);
    multiply = "cublasGemmStridedBatchedEx"(
        Handle, c_int, c_int, c_int, c_int, c_int, *const c_void, *const c_void, c_int, c_int, c_longlong, *const c_void, c_int, c_int, c_longlong,
        *const c_void, *mut c_void, c_int, c_int, c_longlong, c_int, c_int, c_int
    );
}

/// cuBLAS in a context.
pub struct Cublas {
    context: Context,
    functions: Functions,
    handle: Handle,
    /// Never unloaded, as the driver is not.
    _library: ManuallyDrop<Library>,
}

impl fmt::Debug for Cublas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cublas").finish_non_exhaustive()
    }
}

impl Drop for Cublas {
    fn drop(&mut self) {
        // SAFETY: it was created for this. A failure would have nobody to hear of it.
        let _ = self.context.try_call(|_| unsafe { (self.functions.destroy)(self.handle) });
    }
}

impl Cublas {
    /// Loads the library that the variable `TILEWRIGHT_CUBLAS` names; else that of the system's path, of a CUDA toolkit (`CUDA_HOME`, `CUDA_PATH`,
    /// `/usr/local/cuda`), or of these folders.
    ///
    /// # Errors
    /// When there is none, or it cannot be used on this GPU.
    pub fn load(context: &Context, folders: &[PathBuf]) -> Result<Cublas, CudaError> {
        let places = match env::var_os(CUBLAS_VARIABLE).filter(|named| !named.is_empty()) {
            Some(named) => vec![PathBuf::from(named)],
            None => places(folders),
        };
        Cublas::first_of(context, &places)
    }

    /// Loads a library.
    ///
    /// # Errors
    /// When it cannot be loaded, is not cuBLAS, or cannot be used on this GPU.
    pub fn open(context: &Context, library: &Path) -> Result<Cublas, CudaError> {
        Cublas::first_of(context, &[library.to_owned()])
    }

    fn first_of(context: &Context, places: &[PathBuf]) -> Result<Cublas, CudaError> {
        // SAFETY: loading a library runs code of it, as starting a program does: it is what the user or the system names as cuBLAS.
        let found = places.iter().find_map(|place| unsafe { Library::new(place) }.ok().map(|library| (place, library)));
        let Some((place, library)) = found else {
            let tried: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
            return Err(CudaError::Cublas(format!(
                "cuBLAS is not here, or cannot be loaded: tried {}; {CUBLAS_VARIABLE} may name the library",
                tried.join(", ")
            )));
        };
        Cublas::of(context, place, library)
    }

    fn of(context: &Context, place: &Path, library: Library) -> Result<Cublas, CudaError> {
        // SAFETY: a library with all functions of these names is cuBLAS.
        let functions = unsafe { Functions::find(&library) };
        let functions =
            functions.map_err(|name| CudaError::Cublas(format!("{} is no cuBLAS: it has no function {name}", place.display())))?;
        let mut handle = ptr::null_mut();
        // SAFETY: it writes a handle, which is destroyed when this is dropped.
        let status = context.try_call(|_| unsafe { (functions.create)(&raw mut handle) });
        check(status, "start")?;
        Ok(Cublas { context: context.clone(), functions, handle, _library: ManuallyDrop::new(library) })
    }

    /// Its version, such as 13.1.0.
    ///
    /// # Errors
    /// When it does not say.
    pub fn version(&self) -> Result<String, CudaError> {
        let mut version = 0;
        // SAFETY: it writes a number.
        check(self.context.try_call(|_| unsafe { (self.functions.version)(self.handle, &raw mut version) }), "say its version")?;
        // Since version 11, four digits for all behind the first dot.
        Ok(format!("{}.{}.{}", version / 10_000, version % 10_000 / 100, version % 100))
    }

    /// Begins to multiply on a stream: the buffers of both factors and of the result.
    ///
    /// # Errors
    /// When a buffer is too small, or the library refuses the product.
    pub fn multiply(&self, product: &Product, [a, b, c]: [&Buffer; 3], stream: &Stream) -> Result<(), CudaError> {
        let Product { batch, m, n, k, element } = *product;
        let (factor, result, sums) = element.types();
        // Elements of a matrix, where all of a batch fit into a buffer.
        let fits = |buffer: &Buffer, rows: usize, columns: usize, of: DataType| {
            let one = rows.checked_mul(columns)?;
            let all = one.checked_mul(batch.max(1))?.checked_mul(of.bytes)?;
            c_longlong::try_from(one).ok().filter(|_| all <= buffer.len())
        };
        let steps = (fits(a, m, k, factor), fits(b, k, n, factor), fits(c, m, n, result));
        let (Some(step_a), Some(step_b), Some(step_c)) = steps else {
            return Err(CudaError::Invalid(format!("the matrices of {product:?} do not fit their buffers")));
        };
        let int = |n: usize| c_int::try_from(n).map_err(|_| CudaError::Invalid(format!("{product:?} is too large for cuBLAS")));
        let [batch, rows, columns, inner] = [int(batch)?, int(m)?, int(n)?, int(k)?];
        // One and zero, of the type of the sums.
        let scale = match element {
            Element::I8 => [1, 0],
            Element::F64 => [1f64.to_bits(), 0],
            _ => [u64::from(1f32.to_bits()), 0],
        };
        let address = |buffer: &Buffer| ptr::without_provenance_mut::<c_void>(buffer.address() as usize);
        let status = self.context.try_call(|_| {
            // Columns lie one after the other for cuBLAS: what lies in memory is each matrix transposed, and so is the product of them, the other way round.
            // SAFETY: the matrices fit their buffers, numbers have the types of the sums, and the handles live as long as this.
            unsafe {
                let status = (self.functions.set_stream)(self.handle, stream.handle());
                if status != 0 {
                    return status;
                }
                let [one, zero] = [&raw const scale[0], &raw const scale[1]].map(<*const u64>::cast);
                (self.functions.multiply)(
                    self.handle,
                    NOT_TRANSPOSED,
                    NOT_TRANSPOSED,
                    columns,
                    rows,
                    inner,
                    one,
                    address(b),
                    factor.code,
                    columns,
                    step_b,
                    address(a),
                    factor.code,
                    inner,
                    step_a,
                    zero,
                    address(c),
                    result.code,
                    columns,
                    step_c,
                    batch,
                    sums,
                    USUAL_ALGORITHM,
                )
            }
        });
        check(status, "multiply")
    }
}

const NOT_TRANSPOSED: c_int = 0;
const USUAL_ALGORITHM: c_int = -1;

/// Where the library may be.
fn places(folders: &[PathBuf]) -> Vec<PathBuf> {
    let toolkits = ["CUDA_HOME", "CUDA_PATH"].iter().filter_map(env::var_os).map(PathBuf::from).chain([PathBuf::from("/usr/local/cuda")]);
    let folders = toolkits.map(|toolkit| toolkit.join("lib64")).chain(folders.iter().cloned()).filter(|folder| folder.is_dir());
    let within = folders.flat_map(|folder| LIBRARIES.map(|name| folder.join(name))).filter(|path| path.is_file());
    LIBRARIES.iter().map(PathBuf::from).chain(within).collect()
}

fn check(status: Status, action: &str) -> Result<(), CudaError> {
    let name = match status {
        0 => return Ok(()),
        1 => "CUBLAS_STATUS_NOT_INITIALIZED",
        3 => "CUBLAS_STATUS_ALLOC_FAILED",
        7 => "CUBLAS_STATUS_INVALID_VALUE",
        8 => "CUBLAS_STATUS_ARCH_MISMATCH",
        13 => "CUBLAS_STATUS_EXECUTION_FAILED",
        14 => "CUBLAS_STATUS_INTERNAL_ERROR",
        15 => "CUBLAS_STATUS_NOT_SUPPORTED",
        _ => "an error that it has no name for",
    };
    Err(CudaError::Cublas(format!("cuBLAS cannot {action}: {name} ({status})")))
}
