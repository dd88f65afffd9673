//! Entries of handlers in the document.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{FnArg, ItemFn, LitStr, Path, PathSegment, Result, ReturnType, Token};

use crate::types::{argument, last};

/// What the entries of all routes refer to.
const KEY: &str = "crate::http::idempotency::Key";
const ERRORS: &str = "crate::http::error::Errors";
/// Extractors of callers without a session.
const ANYBODY: [&str; 2] = ["Visitor", "MaybeSignedIn"];
/// Extractors of callers with a session.
const SIGNED_IN: [&str; 6] = ["SignedIn", "VerifiedMember", "ActiveMember", "NamedMember", "StaffMember", "AnyStaff"];

/// `"/path", "Tag", params(…), …`.
struct Arguments {
    path: LitStr,
    tag: LitStr,
    params: TokenStream,
    others: Vec<(Ident, TokenStream)>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let path = input.parse()?;
        input.parse::<Token![,]>()?;
        let tag = input.parse()?;
        let (mut params, mut others) = (TokenStream::new(), Vec::new());
        while input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
            let name: Ident = input.parse()?;
            let content;
            syn::parenthesized!(content in input);
            let content: TokenStream = content.parse()?;
            if name == "params" { params = content } else { others.push((name, content)) }
        }
        Ok(Self { path, tag, params, others })
    }
}

pub fn declared(method: &str, arguments: TokenStream, handler: TokenStream) -> Result<TokenStream> {
    let Arguments { path, tag, params, others } = syn::parse2(arguments)?;
    let handler: ItemFn = syn::parse2(handler)?;
    let takes: Vec<&PathSegment> = handler.sig.inputs.iter().filter_map(taken).collect();
    let takes_one_of = |names: &[&str]| takes.iter().any(|taken| names.iter().any(|name| taken.ident == name));
    let has = |name: &str| others.iter().any(|(other, _)| other == name);

    let method = Ident::new(method, Span::call_site());
    let text = path.value();
    let in_path = text.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    // Who says more about a parameter of the path, such as an example, writes it out.
    let written = params.to_string();
    let in_path = in_path.filter(|name| !written.contains(&format!("(\"{name}\"")));
    let mut parameters: Vec<TokenStream> = in_path.map(|name| quote!((#name = String, Path))).collect();
    if !params.is_empty() {
        parameters.push(params);
    }
    if takes_one_of(&["Key", "Keyed"]) {
        let key: Path = syn::parse_str(KEY)?;
        parameters.push(quote!(#key));
    }

    let mut entry = vec![quote!(#method), quote!(path = #path), quote!(tag = #tag)];
    if !parameters.is_empty() {
        entry.push(quote!(params(#(#parameters),*)));
    }
    if let Some(body) =
        takes.iter().filter(|taken| taken.ident == "Json" || taken.ident == "Keyed").find_map(|taken| argument(taken))
        && !has("request_body")
    {
        entry.push(quote!(request_body = #body));
    }
    if !has("responses") {
        entry.push(response(&handler.sig.output)?);
    }
    if !has("security") && (takes_one_of(&ANYBODY) || !takes_one_of(&SIGNED_IN)) {
        entry.push(quote!(security()));
    }
    entry.extend(others.iter().map(|(name, content)| quote!(#name(#content))));
    Ok(quote! {
        #[utoipa::path(#(#entry),*)]
        #handler
    })
}

/// `responses(…)` from the return type.
fn response(output: &ReturnType) -> Result<TokenStream> {
    let segment = match output {
        ReturnType::Type(_, of) => last(of),
        ReturnType::Default => None,
    };
    let (status, body) = match segment {
        Some(segment) if segment.ident == "Answer" => (quote!(200), argument(segment)),
        Some(segment) if segment.ident == "Created" => (quote!(201), argument(segment)),
        _ => (quote!(), None),
    };
    let body = body.ok_or_else(|| {
        syn::Error::new_spanned(output, "return Answer<T> or Created<T>, or declare `responses(…)` after the tag")
    })?;
    let errors: Path = syn::parse_str(ERRORS)?;
    Ok(quote!(responses((status = #status, body = #body), #errors)))
}

/// The type of an argument.
fn taken(argument: &FnArg) -> Option<&PathSegment> {
    match argument {
        FnArg::Typed(argument) => last(&argument.ty),
        FnArg::Receiver(_) => None,
    }
}
