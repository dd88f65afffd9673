//! Conversions between the messages of services and bodies, field by field.

use heck::ToLowerCamelCase;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, Error, Expr, Field, ItemEnum, ItemStruct, Path, Result, Token, Type};

use crate::types::{argument, named};

/// The crate that the conversions are in.
fn gateway() -> Ident {
    Ident::new("crate", Span::call_site())
}

/// The messages in `from = auth::Session` or `to = auth::LoginRequest`.
pub struct Messages {
    keyword: &'static str,
    paths: Vec<Path>,
}

impl Messages {
    pub fn parse(keyword: &'static str, arguments: TokenStream) -> Result<Self> {
        let parser = |input: ParseStream<'_>| {
            let mut paths = Vec::new();
            while !input.is_empty() {
                let name: Ident = input.parse()?;
                if name != keyword {
                    return Err(Error::new(name.span(), format!("expected `{keyword} = …`")));
                }
                input.parse::<Token![=]>()?;
                paths.push(input.parse()?);
                input.parse::<Option<Token![,]>>()?;
            }
            Ok(paths)
        };
        Ok(Self { keyword, paths: parser.parse2(arguments)? })
    }
}

/// What `#[from(…)]` or `#[to(…)]` says about a field: the name of its field in the message, or `self` for the whole message,
/// and a function that converts it, or `default`; or `skip`.
#[derive(Default)]
struct Mapping {
    name: Option<Ident>,
    with: Option<Expr>,
    whole: bool,
    default: bool,
    skip: bool,
}

impl Parse for Mapping {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut mapping = Self::default();
        while !input.is_empty() {
            let name = input.call(Ident::parse_any)?;
            if input.parse::<Option<Token![=]>>()?.is_some() {
                if name != "with" {
                    return Err(Error::new(name.span(), "expected the name of a field, `skip`, or `with = …`"));
                }
                mapping.with = Some(input.parse()?);
            } else {
                match name.to_string().as_str() {
                    "self" => mapping.whole = true,
                    "default" => mapping.default = true,
                    "skip" => mapping.skip = true,
                    _ => mapping.name = Some(name),
                }
            }
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(mapping)
    }
}

impl Mapping {
    /// Takes the attribute from the field.
    fn take(field: &mut Field, keyword: &str) -> Result<Self> {
        let at = field.attrs.iter().position(|attribute| attribute.path().is_ident(keyword));
        at.map(|at| field.attrs.remove(at).parse_args()).transpose().map(Option::unwrap_or_default)
    }

    /// The name in the message: by default the same, followed by its unit if the field is an amount of money.
    fn in_message(&self, name: &Ident, is_amount: bool) -> Ident {
        match &self.name {
            Some(name) => name.clone(),
            None if is_amount => format_ident!("{}_cents", name.unraw()),
            None => name.clone(),
        }
    }
}

/// A struct of which each field is made of a field of the message or of the whole.
pub fn from(messages: &Messages, item: &mut ItemStruct) -> Result<TokenStream> {
    let gateway = gateway();
    let (mut of_whole, mut fields) = (Vec::new(), Vec::new());
    for field in &mut item.fields {
        let mapping = Mapping::take(field, messages.keyword)?;
        let Some(name) = field.ident.clone() else { continue };
        if mapping.skip {
            fields.push(quote!(#name: ::core::default::Default::default()));
        } else if mapping.whole || (mapping.name.is_none() && field.attrs.iter().any(is_flatten)) {
            let value = match mapping.with {
                Some(with) => quote!((#with)(&message)),
                None => quote!(#gateway::http::convert::from_proto(message.clone())?),
            };
            of_whole.push(quote!(let #name = #value;));
            fields.push(quote!(#name));
        } else {
            let in_message = mapping.in_message(&name, is_of(&field.ty, "Dollars"));
            let value = match mapping.with {
                Some(with) => quote!((#with)(message.#in_message)),
                None if mapping.default => {
                    quote!(#gateway::http::convert::from_proto(message.#in_message.unwrap_or_default())?)
                }
                None => quote!(#gateway::http::convert::from_proto(message.#in_message)?),
            };
            fields.push(quote!(#name: #value));
        }
    }
    let (name, text) = (&item.ident, item.ident.to_string());
    let conversions = messages.paths.iter().map(|path| {
        quote! {
            impl #gateway::http::convert::FromProto<#path> for #name {
                fn from_proto(message: #path) -> Result<Self, #gateway::http::error::ApiError> {
                    #(#of_whole)*
                    Ok(Self { #(#fields),* })
                }
            }

            impl #gateway::http::convert::FromProto<Option<#path>> for #name {
                fn from_proto(message: Option<#path>) -> Result<Self, #gateway::http::error::ApiError> {
                    #gateway::http::convert::from_proto(#gateway::http::convert::required(message, #text)?)
                }
            }
        }
    });
    Ok(quote!(#(#conversions)*))
}

fn is_flatten(attribute: &Attribute) -> bool {
    attribute.path().is_ident("serde") && attribute.parse_args::<Ident>().is_ok_and(|argument| argument == "flatten")
}

/// Whether a type is the one of this name, or an `Option` of it.
fn is_of(of: &Type, name: &str) -> bool {
    let inner = named(of, "Option").and_then(argument).unwrap_or(of);
    named(inner, name).is_some()
}

/// An enum with the variants of one of the contract, whose zero stands for none.
pub fn names(messages: &Messages, item: &ItemEnum) -> TokenStream {
    let gateway = gateway();
    let name = &item.ident;
    let unknown = format!("an unknown {name}");
    let variants: Vec<_> = item.variants.iter().map(|variant| &variant.ident).collect();
    let texts: Vec<_> = variants.iter().map(|variant| variant.to_string().to_lowercase()).collect();
    let conversions = messages.paths.iter().map(|path| {
        quote! {
            impl #gateway::http::convert::FromProto<i32> for #name {
                fn from_proto(number: i32) -> Result<Self, #gateway::http::error::ApiError> {
                    match #path::try_from(number) {
                        #(Ok(#path::#variants) => Ok(Self::#variants),)*
                        Ok(#path::Unspecified) | Err(_) => Err(#gateway::http::error::ApiError::internal(#unknown)),
                    }
                }
            }

            impl #gateway::http::convert::FromProto<i32> for Option<#name> {
                fn from_proto(number: i32) -> Result<Self, #gateway::http::error::ApiError> {
                    (number != 0).then(|| #gateway::http::convert::from_proto(number)).transpose()
                }
            }

            impl #gateway::http::convert::Choice for #name {
                type Proto = #path;
                const ALL: &'static [(&'static str, #path)] = &[#((#texts, #path::#variants)),*];
            }
        }
    });
    quote!(#(#conversions)*)
}

/// A struct whose fields are read into fields of the message.
pub fn to(messages: &Messages, item: &mut ItemStruct) -> Result<TokenStream> {
    let gateway = gateway();
    let mut fields = Vec::new();
    for field in &mut item.fields {
        let mapping = Mapping::take(field, messages.keyword)?;
        let Some(name) = field.ident.as_ref().filter(|_| !mapping.skip) else { continue };
        let is_amount = named(&field.ty, "Field").and_then(argument).is_some_and(|of| is_of(of, "f64"));
        let in_message = mapping.in_message(name, is_amount);
        let shown = name.unraw().to_string().to_lower_camel_case();
        fields.push(match mapping.with {
            Some(with) => quote!(message.#in_message = (#with)(form, #shown, &self.#name)),
            None => quote!(message.#in_message = #gateway::http::json::ReadAs::read(&self.#name, form, #shown)),
        });
    }
    let name = &item.ident;
    let conversions = messages.paths.iter().map(|path| {
        quote! {
            impl #gateway::http::json::ToProto<#path> for #name {
                fn fill(&self, form: &mut #gateway::http::json::Form) -> #path {
                    let mut message = #path::default();
                    #(#fields;)*
                    message
                }
            }
        }
    });
    Ok(quote!(#(#conversions)*))
}
