//! Types by their names.

use syn::{GenericArgument, PathArguments, PathSegment, Type};

/// The last part of a type's path.
pub fn last(of: &Type) -> Option<&PathSegment> {
    match of {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

/// The last part of a type's path, if it has this name.
pub fn named<'a>(of: &'a Type, name: &str) -> Option<&'a PathSegment> {
    last(of).filter(|last| last.ident == name)
}

/// `T` of `Name<T>`.
pub fn argument(segment: &PathSegment) -> Option<&Type> {
    match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
            GenericArgument::Type(of) => Some(of),
            _ => None,
        },
        _ => None,
    }
}
