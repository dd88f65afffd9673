//! Types of bodies.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{AngleBracketedGenericArguments, ItemStruct, PathArguments, PathSegment, Result, Type, parse_quote};

pub fn response(item: TokenStream) -> Result<TokenStream> {
    let mut item: ItemStruct = syn::parse2(item)?;
    for field in &mut item.fields {
        let attributes = field.attrs.len();
        field.attrs.retain(|attribute| !attribute.path().is_ident("nullable"));
        let is_nullable = field.attrs.len() < attributes;
        if named(&field.ty, "Option").is_some() && !is_nullable {
            field.attrs.push(parse_quote!(#[serde(skip_serializing_if = "Option::is_none")]));
            field.attrs.push(parse_quote!(#[schema(nullable = false)]));
        }
    }
    Ok(quote! {
        #[derive(Debug, ::serde::Serialize, ::utoipa::ToSchema)]
        #[serde(rename_all = "camelCase")]
        #item
    })
}

pub fn request(item: TokenStream) -> Result<TokenStream> {
    let mut item: ItemStruct = syn::parse2(item)?;
    for field in &mut item.fields {
        let Some(segment) = named(&field.ty, "Field") else { continue };
        if let PathArguments::AngleBracketed(AngleBracketedGenericArguments { args, .. }) = &segment.arguments {
            field.attrs.push(parse_quote!(#[schema(value_type = #args)]));
        }
    }
    Ok(quote! {
        #[derive(Debug, ::serde::Deserialize, ::utoipa::ToSchema)]
        #[serde(rename_all = "camelCase")]
        #item
    })
}

/// The last part of the type's path, if it has this name.
fn named<'a>(of: &'a Type, name: &str) -> Option<&'a PathSegment> {
    let Type::Path(path) = of else { return None };
    path.path.segments.last().filter(|last| last.ident == name)
}
