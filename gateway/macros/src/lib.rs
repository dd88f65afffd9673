//! Attributes that declare the gateway's routes and bodies: they generate what serde and the OpenAPI document need from a
//! handler's signature or a type.

mod convert;
mod route;
mod shape;
mod types;

use proc_macro::TokenStream;

/// A struct that is sent as JSON: `Debug`, `Serialize` and `ToSchema`, with names in camelCase. Or an enum of names in lower case,
/// which is also `Copy` and `Eq`.
///
/// An `Option` is left out if it is `None`, and is not nullable in the document. With `#[nullable]` it is sent as `null`.
///
/// `#[response(from = wallet::Hold)]` makes it of that message, by `FromProto`: each field of the field with its name, an amount
/// (`Dollars`) of the one whose name ends with `_cents`, and a flattened field of the whole message. An enum has the variants of
/// the one in the contract. What differs is said at the field:
///
/// - `#[from(plan_title)]` names the field of the message
/// - `#[from(with = f)]` or `#[from(plan_title, with = f)]` converts its value with a function
/// - `#[from(default)]` takes the default for a message that is missing
/// - `#[from(self)]` makes it of the whole message, and `#[from(self, with = f)]` of a reference to it
/// - `#[from(skip)]` leaves it at its default
#[proc_macro_attribute]
pub fn response(arguments: TokenStream, item: TokenStream) -> TokenStream {
    shape::response(arguments.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// A struct that is received as JSON: `Debug`, `Deserialize` and `ToSchema`, with names in camelCase.
///
/// A `Field<T>` is any JSON, of which a `Form` says what is wrong; the document says that it is a `T`.
///
/// `#[request(to = wallet::PlaceHoldRequest)]` makes that message of it, by `ToProto`, with `#[to(…)]` like `#[from(…)]` of a
/// [`macro@response`]: a `Field<f64>` is an amount in the field whose name ends with `_cents`. What the message has besides,
/// such as the id in the path, is left empty.
#[proc_macro_attribute]
pub fn request(arguments: TokenStream, item: TokenStream) -> TokenStream {
    shape::request(arguments.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
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
