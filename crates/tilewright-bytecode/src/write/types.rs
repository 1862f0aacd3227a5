//! Items of the type section (FORMAT section 4).

use super::{context::Context, error::WriteError, put::Put};
use crate::types::tag;
use tilewright_ir::{PaddingValue, PtrAttr, Type, TypeData, Version};

impl Context<'_> {
    /// The item of a type; the types that it refers to get positions first.
    pub(crate) fn type_item(&mut self, ty: Type) -> Result<Vec<u8>, WriteError> {
        let module = self.module;
        let mut item = Vec::new();
        match module.tables.types.get(ty) {
            TypeData::Scalar(scalar) => item.varint(scalar.tag().into()),
            TypeData::Token => item.push(tag::TOKEN),
            TypeData::Pointer { pointee, attr } => {
                item.push(tag::POINTER);
                self.type_flag(&mut item, Version::V13_4, attr.is_some());
                item.varint(self.ty(*pointee)?);
                put_ptr_attr(&mut item, *attr);
            }
            TypeData::Tile { element, shape } => {
                item.push(tag::TILE);
                item.varint(self.ty(*element)?);
                item.list_i64(shape);
            }
            TypeData::TensorView { element, shape, strides, attr } => {
                item.push(tag::TENSOR_VIEW);
                self.type_flag(&mut item, Version::V13_4, attr.is_some());
                item.varint(self.ty(*element)?);
                item.list_i64(shape);
                item.list_i64(strides);
                put_ptr_attr(&mut item, *attr);
            }
            TypeData::Function { inputs, results } => {
                item.push(tag::FUNCTION);
                self.type_list(&mut item, inputs)?;
                self.type_list(&mut item, results)?;
            }
            view => self.view_item(&mut item, view)?,
        }
        Ok(item)
    }

    fn view_item(&mut self, item: &mut Vec<u8>, view: &TypeData) -> Result<(), WriteError> {
        match view {
            TypeData::PartitionView { tile, tensor_view, dim_map, padding } => {
                item.push(tag::PARTITION_VIEW);
                self.type_flag(item, Version::V13_3, padding.is_some());
                item.list_i32(tile);
                item.varint(self.ty(*tensor_view)?);
                item.list_i32(dim_map);
                if self.version < Version::V13_3 {
                    item.push(padding.is_some().into());
                }
                put_padding(item, *padding);
            }
            TypeData::StridedView { tile, traversal_strides, tensor_view, dim_map, padding } => {
                item.push(tag::STRIDED_VIEW);
                self.type_flag(item, Version::V13_3, padding.is_some());
                item.list_i32(tile);
                item.list_i32(traversal_strides);
                item.varint(self.ty(*tensor_view)?);
                item.list_i32(dim_map);
                put_padding(item, *padding);
            }
            TypeData::GatherScatterView { tile, tensor_view, sparse_dim, padding } => {
                item.push(tag::GATHER_SCATTER_VIEW);
                self.type_flag(item, Version::V13_3, padding.is_some());
                item.list_i32(tile);
                item.varint(self.ty(*tensor_view)?);
                item.varint((*sparse_dim).into());
                put_padding(item, *padding);
            }
            _ => return Err(self.invalid("a type that is no view".to_owned())),
        }
        Ok(())
    }

    /// The flags word of types since `since`.
    fn type_flag(&self, item: &mut Vec<u8>, since: Version, flag: bool) {
        if self.version >= since {
            item.push(flag.into());
        }
    }

    fn type_list(&mut self, item: &mut Vec<u8>, types: &[Type]) -> Result<(), WriteError> {
        item.count(types.len());
        for &ty in types {
            item.varint(self.ty(ty)?);
        }
        Ok(())
    }
}

fn put_ptr_attr(item: &mut Vec<u8>, attr: Option<PtrAttr>) {
    if let Some(attr) = attr {
        item.varint(attr as u64);
    }
}

fn put_padding(item: &mut Vec<u8>, padding: Option<PaddingValue>) {
    if let Some(padding) = padding {
        item.varint(padding as u64);
    }
}
