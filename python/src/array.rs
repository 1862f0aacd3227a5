//! Python objects as arrays: where their elements lie, and of what type they are.

use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    sync::PyOnceLock,
    types::{PyDict, PyTuple},
};
use tilewright::{array::DType, ir::Scalar};

/// Where elements lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// In the memory of this machine.
    Host,
    /// In that of a GPU.
    Gpu,
}

/// Elements in memory that a Python object owns.
#[derive(Debug)]
pub(crate) struct ArrayView {
    /// Address of the element at the origin.
    pub(crate) address: usize,
    pub(crate) shape: Vec<i64>,
    /// Distances of neighbours, in elements.
    pub(crate) strides: Vec<i64>,
    pub(crate) dtype: DType,
    pub(crate) place: Place,
    pub(crate) writable: bool,
    /// It is an array of JAX, which are immutable.
    pub(crate) of_jax: bool,
    /// Keeps the elements alive.
    #[expect(dead_code, reason = "held, not read")]
    owner: Py<PyAny>,
}

impl ArrayView {
    /// The array in the memory of this machine that an object is, without copying; `None` if it is none.
    ///
    /// # Errors
    /// When it is an array that kernels cannot use: on another device, or with elements that Tile IR does not have.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<ArrayView>> {
        ArrayView::at(Place::Host, object)
    }

    /// The array at a place that an object is.
    ///
    /// # Errors
    /// When it is an array that kernels cannot use: elsewhere, or with elements that Tile IR does not have.
    pub(crate) fn at(place: Place, object: &Bound<'_, PyAny>) -> PyResult<Option<ArrayView>> {
        match (ArrayView::anywhere(object)?, place) {
            (Some(array), Place::Host) if array.place == Place::Gpu => {
                let device = object.getattr_opt("device")?.map_or_else(|| "a GPU".to_owned(), |device| format!("device '{device}'"));
                Err(PyTypeError::new_err(format!("the tensor is on {device}; kernels run on the CPU: use .cpu()")))
            }
            (Some(array), Place::Gpu) if array.place == Place::Host => {
                let what = type_name(object);
                Err(PyTypeError::new_err(format!("the {what} is in the memory of the host; kernels run on a GPU: give them arrays of it")))
            }
            (found, _) => Ok(found),
        }
    }

    /// The array that an object is, wherever that is.
    ///
    /// # Errors
    /// When it has elements that Tile IR does not have.
    pub(crate) fn anywhere(object: &Bound<'_, PyAny>) -> PyResult<Option<ArrayView>> {
        let py = object.py();
        if is_numpy_scalar(object)? {
            return Ok(None);
        }
        if let Some(interface) = object.getattr_opt(pyo3::intern!(py, "__array_interface__"))? {
            return from_interface(object, interface.cast::<PyDict>()?).map(Some);
        }
        if object.hasattr(pyo3::intern!(py, "data_ptr"))? {
            return from_torch(object).map(Some);
        }
        if let Some(interface) = object.getattr_opt(pyo3::intern!(py, "__cuda_array_interface__"))? {
            let array = from_interface(object, interface.cast::<PyDict>()?)?;
            return Ok(Some(ArrayView { place: Place::Gpu, ..array }));
        }
        static AS_NDARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let as_ndarray: &Bound<'_, PyAny> = AS_NDARRAY.import(py, "tilewright._arrays", "as_ndarray")?;
        let ndarray = as_ndarray.call1((object,))?;
        if ndarray.is_none() {
            return Ok(None);
        }
        let interface = ndarray.getattr(pyo3::intern!(py, "__array_interface__"))?;
        let of_jax = object.get_type().module()?.to_str()?.starts_with("jax");
        Ok(Some(ArrayView { of_jax, ..from_interface(&ndarray, interface.cast::<PyDict>()?)? }))
    }

    /// Bytes of one element.
    pub(crate) fn element_bytes(&self) -> usize {
        self.dtype.storage_bits() as usize / 8
    }

    /// The addresses of the first byte and behind the last one; `None` for an array without elements.
    pub(crate) fn span(&self) -> Option<(usize, usize)> {
        let (mut first, mut last) = (0i128, 0i128);
        for (&extent, &stride) in self.shape.iter().zip(&self.strides) {
            let reach = (i128::from(extent) - 1) * i128::from(stride);
            match extent {
                0 => return None,
                _ if reach < 0 => first += reach,
                _ => last += reach,
            }
        }
        // The elements lie in memory, so these fit.
        let at = |elements: i128| (self.address as i128 + elements * self.element_bytes() as i128) as usize;
        Some((at(first), at(last) + self.element_bytes()))
    }
}

/// The scalars of NumPy offer the protocols of arrays too, but are numbers, and cannot be written.
fn is_numpy_scalar(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    static GENERIC: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    object.is_instance(GENERIC.import(object.py(), "numpy", "generic")?)
}

/// An array by the protocol of `__array_interface__`.
fn from_interface(owner: &Bound<'_, PyAny>, interface: &Bound<'_, PyDict>) -> PyResult<ArrayView> {
    let py = owner.py();
    let dtype = interface_dtype(owner, interface.as_any().get_item(pyo3::intern!(py, "typestr"))?.extract()?)?;
    let (address, read_only): (usize, bool) = interface.as_any().get_item(pyo3::intern!(py, "data"))?.extract()?;
    let shape: Vec<i64> = interface.as_any().get_item(pyo3::intern!(py, "shape"))?.extract()?;
    let strides: Option<Vec<i64>> = interface.get_item(pyo3::intern!(py, "strides"))?.map_or(Ok(None), |s| s.extract())?;
    let strides = match strides {
        Some(bytes) => in_elements(&bytes, &shape, i64::from(dtype.storage_bits() / 8))?,
        None => contiguous_strides(&shape),
    };
    Ok(ArrayView { address, shape, strides, dtype, place: Place::Host, writable: !read_only, of_jax: false, owner: owner.clone().unbind() })
}

/// A tensor of PyTorch, or of anything else with its methods.
fn from_torch(owner: &Bound<'_, PyAny>) -> PyResult<ArrayView> {
    let py = owner.py();
    let mut place = Place::Host;
    if let Some(device) = owner.getattr_opt(pyo3::intern!(py, "device"))? {
        let kind = device.getattr(pyo3::intern!(py, "type"))?;
        if kind.eq("cuda")? {
            place = Place::Gpu;
        } else if !kind.eq("cpu")? {
            return Err(PyTypeError::new_err(format!("the tensor is on device '{device}'; kernels run on the CPU: use .cpu()")));
        }
    }
    if let Some(is_neg) = owner.getattr_opt(pyo3::intern!(py, "is_neg"))?
        && is_neg.call0()?.is_truthy()?
    {
        return Err(PyTypeError::new_err("the tensor's memory holds its negative: use .resolve_neg()"));
    }
    let dtype_name = owner.getattr(pyo3::intern!(py, "dtype"))?.str()?.to_string();
    let dtype = named_dtype(dtype_name.trim_start_matches("torch.")).ok_or_else(|| unsupported(&dtype_name))?;
    Ok(ArrayView {
        address: owner.call_method0(pyo3::intern!(py, "data_ptr"))?.extract()?,
        shape: owner.getattr(pyo3::intern!(py, "shape"))?.extract()?,
        strides: owner.call_method0(pyo3::intern!(py, "stride"))?.extract()?,
        dtype,
        place,
        writable: true,
        of_jax: false,
        owner: owner.clone().unbind(),
    })
}

fn interface_dtype(owner: &Bound<'_, PyAny>, typestr: &str) -> PyResult<DType> {
    let (order, code) = typestr.split_at_checked(1).unwrap_or_default();
    if order == ">" {
        return Err(PyTypeError::new_err(
            "the elements are big-endian: convert the array first, for example with .astype(x.dtype.newbyteorder())",
        ));
    }
    let signed = |scalar| Some(DType::new(scalar));
    let unsigned = |scalar| Some(DType::new(scalar).unsigned());
    let found = match code {
        "b1" => signed(Scalar::I1),
        "i1" => signed(Scalar::I8),
        "i2" => signed(Scalar::I16),
        "i4" => signed(Scalar::I32),
        "i8" => signed(Scalar::I64),
        "u1" => unsigned(Scalar::I8),
        "u2" => unsigned(Scalar::I16),
        "u4" => unsigned(Scalar::I32),
        "u8" => unsigned(Scalar::I64),
        "f2" => signed(Scalar::F16),
        "f4" => signed(Scalar::F32),
        "f8" => signed(Scalar::F64),
        // The types of ml_dtypes are opaque to the protocol, and known by name.
        _ => {
            let name = owner.getattr_opt("dtype")?.map(|dtype| dtype.str()).transpose()?;
            return match name {
                Some(name) => named_dtype(name.to_str()?).ok_or_else(|| unsupported(&name.to_string())),
                None => Err(unsupported(typestr)),
            };
        }
    };
    found.ok_or_else(|| unsupported(typestr))
}

/// The element types by the names that PyTorch and ml_dtypes give them.
fn named_dtype(name: &str) -> Option<DType> {
    let scalar = match name {
        "bool" => Scalar::I1,
        "int8" => Scalar::I8,
        "int16" => Scalar::I16,
        "int32" => Scalar::I32,
        "int64" => Scalar::I64,
        "uint8" | "uint16" | "uint32" | "uint64" => return DType::from_name(&format!("u{}", &name[4..])),
        "float16" => Scalar::F16,
        "bfloat16" => Scalar::Bf16,
        "float32" => Scalar::F32,
        "float64" => Scalar::F64,
        "float8_e4m3fn" => Scalar::F8E4M3FN,
        "float8_e5m2" => Scalar::F8E5M2,
        "float8_e8m0fnu" => Scalar::F8E8M0FNU,
        _ => return None,
    };
    Some(DType::new(scalar))
}

fn unsupported(dtype: &str) -> PyErr {
    PyTypeError::new_err(format!("arrays of {dtype} elements cannot be passed to kernels"))
}

fn in_elements(bytes: &[i64], shape: &[i64], size: i64) -> PyResult<Vec<i64>> {
    let convert = |(&stride, &extent): (&i64, &i64)| match stride % size {
        0 => Ok(stride / size),
        // The stride of a dimension without neighbours means nothing.
        _ if extent <= 1 => Ok(0),
        _ => Err(PyValueError::new_err(format!("a stride of {stride} bytes is not a multiple of the element's {size} bytes"))),
    };
    bytes.iter().zip(shape).map(convert).collect()
}

fn contiguous_strides(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for i in (1..shape.len()).rev() {
        strides[i - 1] = strides[i] * shape[i].max(1);
    }
    strides
}

/// The name of an object's type, for messages.
pub(crate) fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "an object".to_owned(), |name| name.to_string())
}

/// An array, as other libraries can see it.
///
/// It has the attribute `__cuda_array_interface__`, because the compiler of cuTile Python takes nothing else for an array: the
/// address is that of the host's memory. Elements that this protocol cannot name appear as unsigned integers of their size.
#[pyclass(frozen, module = "tilewright._native")]
pub(crate) struct ArrayDescription(pub(crate) ArrayView);

#[pymethods]
impl ArrayDescription {
    /// Name of the element type, as Tile IR has it, with `u` for unsigned integers.
    #[getter]
    fn dtype(&self) -> String {
        self.0.dtype.to_string()
    }

    #[getter]
    fn address(&self) -> usize {
        self.0.address
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.0.shape)
    }

    /// Distances of neighbours, in elements.
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.0.strides)
    }

    /// Bytes of one element.
    #[getter]
    fn itemsize(&self) -> usize {
        self.0.element_bytes()
    }

    #[getter]
    fn writable(&self) -> bool {
        self.0.writable
    }

    /// The elements have a type that `__cuda_array_interface__` cannot name.
    #[getter]
    fn is_opaque(&self) -> bool {
        typestr(self.0.dtype).is_none()
    }

    #[getter(__cuda_array_interface__)]
    fn cuda_array_interface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let size = self.0.element_bytes();
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("typestr", typestr(self.0.dtype).unwrap_or_else(|| format!("<u{size}")))?;
        interface.set_item("data", (self.0.address, !self.0.writable))?;
        interface.set_item("shape", self.shape(py)?)?;
        interface.set_item("strides", PyTuple::new(py, self.0.strides.iter().map(|stride| stride * size as i64))?)?;
        Ok(interface)
    }

    fn __repr__(&self) -> String {
        format!("ArrayDescription({}{:?} at {:#x}, strides {:?})", self.0.dtype, self.0.shape, self.0.address, self.0.strides)
    }
}

/// The code of a type in the array interface protocols.
fn typestr(dtype: DType) -> Option<String> {
    let unsigned = dtype != DType::new(dtype.scalar());
    let kind = match dtype.scalar() {
        Scalar::I1 => 'b',
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 if unsigned => 'u',
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => 'i',
        Scalar::F16 | Scalar::F32 | Scalar::F64 => 'f',
        _ => return None,
    };
    Some(format!("<{kind}{}", dtype.storage_bits() / 8))
}

/// The array that an object is, or None.
#[pyfunction]
pub(crate) fn describe(object: &Bound<'_, PyAny>) -> PyResult<Option<ArrayDescription>> {
    Ok(ArrayView::anywhere(object)?.map(ArrayDescription))
}
