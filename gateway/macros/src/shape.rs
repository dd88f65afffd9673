//! Types of bodies.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{ItemStruct, Result, Type, parse_quote};

pub fn response(item: TokenStream) -> Result<TokenStream> {
    let mut item: ItemStruct = syn::parse2(item)?;
    for field in &mut item.fields {
        let attributes = field.attrs.len();
        field.attrs.retain(|attribute| !attribute.path().is_ident("nullable"));
        let is_nullable = field.attrs.len() < attributes;
        if is_option(&field.ty) && !is_nullable {
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

fn is_option(of: &Type) -> bool {
    matches!(of, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Option"))
}
