//! Types of bodies.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Item, ItemStruct, Result, parse_quote};

use crate::convert::{self, Messages};
use crate::types::{argument, named};

pub fn response(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let messages = Messages::parse("from", arguments)?;
    match syn::parse2(item)? {
        Item::Struct(item) => body(&messages, item),
        Item::Enum(item) => {
            let conversions = convert::names(&messages, &item);
            Ok(quote! {
                #[derive(Debug, Clone, Copy, PartialEq, Eq, ::serde::Serialize, ::utoipa::ToSchema)]
                #[serde(rename_all = "lowercase")]
                #item
                #conversions
            })
        }
        other => Err(syn::Error::new_spanned(other, "expected a struct or an enum")),
    }
}

fn body(messages: &Messages, mut item: ItemStruct) -> Result<TokenStream> {
    let conversions = convert::from(messages, &mut item)?;
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
        #conversions
    })
}

pub fn request(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let messages = Messages::parse("to", arguments)?;
    let mut item: ItemStruct = syn::parse2(item)?;
    let conversions = convert::to(&messages, &mut item)?;
    for field in &mut item.fields {
        if let Some(of) = named(&field.ty, "Field").and_then(argument) {
            field.attrs.push(parse_quote!(#[schema(value_type = #of)]));
        }
    }
    Ok(quote! {
        #[derive(Debug, ::serde::Deserialize, ::utoipa::ToSchema)]
        #[serde(rename_all = "camelCase")]
        #item
        #conversions
    })
}
