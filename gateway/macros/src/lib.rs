//! Attributes that declare the gateway's routes and bodies: they generate what serde and the OpenAPI document need from a
//! handler's signature or a type.

mod route;
mod shape;

use proc_macro::TokenStream;

/// A struct that is sent as JSON: `Debug`, `Serialize` and `ToSchema`, with names in camelCase.
///
/// An `Option` is left out if it is `None`, and is not nullable in the document. With `#[nullable]` it is sent as `null`.
#[proc_macro_attribute]
pub fn response(_: TokenStream, item: TokenStream) -> TokenStream {
    shape::response(item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// A struct that is received as JSON: `Debug`, `Deserialize` and `ToSchema`, with names in camelCase.
///
/// A `Field<T>` is any JSON, of which a `Form` says what is wrong; the document says that it is a `T`.
#[proc_macro_attribute]
pub fn request(_: TokenStream, item: TokenStream) -> TokenStream {
    shape::request(item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// A route: `#[get("/admin/members/{id}", "Back office")]`, with its path below `/v1` and its tag in the document.
///
/// The rest of its entry comes from the signature:
///
/// - each `{name}` of the path is a parameter
/// - `Json<T>` and `Keyed<T>` are its body, and `Keyed<T>` and `Key` its `Idempotency-Key`
/// - `Answer<T>` is a 200 and `Created<T>` a 201 with the body `T`
/// - a handler without a caller who has a session needs no bearer token
///
/// What else [`utoipa::path`] accepts follows the tag: `params(…)` for the query, `request_body(…)` or `responses(…)` for
/// bodies that are not one JSON object.
///
/// [`utoipa::path`]: https://docs.rs/utoipa/latest/utoipa/attr.path.html
#[proc_macro_attribute]
pub fn get(arguments: TokenStream, handler: TokenStream) -> TokenStream {
    declared("get", arguments, handler)
}

/// A route with another method, declared like [`macro@get`].
#[proc_macro_attribute]
pub fn post(arguments: TokenStream, handler: TokenStream) -> TokenStream {
    declared("post", arguments, handler)
}

/// A route with another method, declared like [`macro@get`].
#[proc_macro_attribute]
pub fn put(arguments: TokenStream, handler: TokenStream) -> TokenStream {
    declared("put", arguments, handler)
}

/// A route with another method, declared like [`macro@get`].
#[proc_macro_attribute]
pub fn delete(arguments: TokenStream, handler: TokenStream) -> TokenStream {
    declared("delete", arguments, handler)
}

/// A route with another method, declared like [`macro@get`].
#[proc_macro_attribute]
pub fn patch(arguments: TokenStream, handler: TokenStream) -> TokenStream {
    declared("patch", arguments, handler)
}

/// A route with another method, declared like [`macro@get`].
#[proc_macro_attribute]
pub fn head(arguments: TokenStream, handler: TokenStream) -> TokenStream {
    declared("head", arguments, handler)
}

fn declared(method: &str, arguments: TokenStream, handler: TokenStream) -> TokenStream {
    route::declared(method, arguments.into(), handler.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}
