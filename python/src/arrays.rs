//! numpy arrays that the engine writes into: the caller's own, or fresh ones that take over the engine's memory. Nothing is
//! copied either way.

use crate::errors::Refusal;
use numpy::{
    Element, PyArray1, PyArrayDyn, PyArrayMethods, PyReadwriteArrayDyn, PyUntypedArrayMethods,
};
use pyo3::prelude::*;

/// An array of `shape`, filled by `fill`, which gets its numbers in row-major order: `out`, or a fresh one.
pub fn filled<'py, T: Element + Copy + Default>(
    py: Python<'py>,
    shape: &[usize],
    out: Option<Bound<'py, PyAny>>,
    fill: impl FnOnce(&mut [T]) -> Result<(), Refusal>,
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let Some(out) = out else {
        let mut numbers = vec![T::default(); shape.iter().product()];
        fill(&mut numbers)?;
        return PyArray1::from_vec(py, numbers).reshape(shape.to_vec());
    };
    let array = of_type::<T>(&out)?;
    if array.shape() != shape {
        let found = array.shape();
        let text = format!("out: an array of shape {shape:?} expected, {found:?} found");
        return Err(Refusal::Shape(text).into());
    }
    let mut writable = writable(&array)?;
    let numbers = writable
        .as_slice_mut()
        .map_err(|_| Refusal::Shape("out: a C-contiguous array expected".into()))?;
    fill(numbers)?;
    drop(writable);
    Ok(array)
}

fn of_type<'py, T: Element>(out: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let array = out.cast::<PyArrayDyn<T>>();
    Ok(array.cloned().map_err(|_| {
        let wanted = T::get_dtype(out.py());
        let found = out
            .getattr("dtype")
            .unwrap_or_else(|_| out.get_type().into_any());
        Refusal::Shape(format!(
            "out: a numpy array of {wanted} expected, {found} found"
        ))
    })?)
}

fn writable<'py, T: Element>(
    array: &Bound<'py, PyArrayDyn<T>>,
) -> PyResult<PyReadwriteArrayDyn<'py, T>> {
    Ok(array.try_readwrite().map_err(|error| {
        Refusal::Shape(format!(
            "out: an array that may be written expected: {error}"
        ))
    })?)
}
