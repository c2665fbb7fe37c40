//! What both derives ask of a struct.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    Data, DeriveInput, Error, Field, Generics, Ident, Index, Member, Path, Result, parse_quote,
};

/// The fields of a struct; `problems` are what is said of what is no struct, and of one without fields.
pub(crate) fn fields<'a>(input: &'a DeriveInput, problems: [&str; 2]) -> Result<Vec<&'a Field>> {
    let [no_struct, no_fields] = problems;
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, no_struct));
    };
    let fields: Vec<_> = data.fields.iter().collect();
    if fields.is_empty() {
        return Err(Error::new_spanned(&input.ident, no_fields));
    }
    Ok(fields)
}

/// How a field is named where its struct is made or read.
pub(crate) fn member((position, field): (usize, &&Field)) -> Member {
    match &field.ident {
        Some(name) => Member::Named(name.clone()),
        None => Member::Unnamed(Index::from(position)),
    }
}

/// The core crate, or what `#[attribute(crate = path)]` says instead.
pub(crate) fn core_path(input: &DeriveInput, attribute: &str) -> Result<Path> {
    let mut path = parse_quote!(::cotangent::__private);
    for attribute in input.attrs.iter().filter(|a| a.path().is_ident(attribute)) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("crate") {
                return Err(meta.error("the only option is `crate = path`"));
            }
            path = meta.value()?.call(Path::parse_mod_style)?;
            Ok(())
        })?;
    }
    Ok(path)
}

/// A struct with the fields of another one, each of another type.
pub(crate) fn with_types(
    (input, name, generics): (&DeriveInput, &Ident, &Generics),
    fields: &[&Field],
    types: &[TokenStream],
) -> TokenStream {
    let visibility = &input.vis;
    let parts = fields.iter().zip(types).map(|(field, ty)| {
        let Field { vis, ident, .. } = field;
        let name = ident.iter();
        quote!(#vis #(#name:)* #ty)
    });
    let parts = quote!(#(#parts),*);
    let conditions = &generics.where_clause;
    match &fields[0].ident {
        Some(_) => quote!(#visibility struct #name #generics #conditions { #parts }),
        None => quote!(#visibility struct #name #generics ( #parts ) #conditions;),
    }
}
