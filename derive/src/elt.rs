//! The code that `#[derive(Elt)]` generates for a struct.

use crate::input::{core_path, fields, member, with_types};
use crate::variants;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Field, Generics, Ident, Member, Result, Type, parse_quote};

/// What all parts of the generated code refer to.
struct Names<'a> {
    input: &'a DeriveInput,
    fields: Vec<&'a Field>,
    members: Vec<Member>,
    /// One local variable per field.
    locals: Vec<Ident>,
    mirror: Ident,
    /// The struct's, each type parameter an element type.
    generics: Generics,
    /// The module `surface` of the core crate.
    surface: TokenStream,
}

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    if let Data::Enum(data) = &input.data {
        return variants::derive(input, data);
    }
    let names = names(input)?;
    let mirror = mirror(&names);
    let elt = elt(&names);
    let conversions = conversions(input, (&names.mirror, &names.generics, &names.surface));
    Ok(quote! { #mirror #elt #conversions })
}

fn names(input: &DeriveInput) -> Result<Names<'_>> {
    let union_problem = "only a struct or an enum can be an element of an array: a union does not say which of its fields it is";
    let empty_problem = "an element must hold at least one scalar: this struct has no fields";
    let fields = fields(input, [union_problem, empty_problem])?;
    let core = core_path(input, "elt")?;
    let surface = quote!(#core::surface);
    let generics = element_generics(input, &surface);
    Ok(Names {
        members: fields.iter().enumerate().map(member).collect(),
        locals: (0..fields.len())
            .map(|i| format_ident!("field_{i}"))
            .collect(),
        mirror: format_ident!("{}E", input.ident),
        input,
        fields,
        generics,
        surface,
    })
}

/// The parameters of a type, each type parameter an element type.
pub(crate) fn element_generics(input: &DeriveInput, surface: &TokenStream) -> Generics {
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(#surface::Elt));
    }
    generics
}

/// The mirror struct, `Copy` whatever the parameters are.
fn mirror(names: &Names<'_>) -> TokenStream {
    let Names {
        input,
        fields,
        mirror,
        generics,
        surface,
        ..
    } = names;
    let types: Vec<TokenStream> = fields
        .iter()
        .map(|Field { ty, .. }| quote!(<#ty as #surface::Elt>::Exp))
        .collect();
    let definition = with_types((input, mirror, generics), fields, &types);
    let copies = copies(mirror, generics);
    let doc = format!(
        "The mirror of [`{}`]: its fields as expressions.",
        input.ident
    );
    quote! {
        #[doc = #doc]
        #[allow(missing_docs)]
        #definition

        #copies
    }
}

/// That a mirror is `Copy`, whatever its parameters are.
pub(crate) fn copies(mirror: &Ident, generics: &Generics) -> TokenStream {
    let (implementation, arguments, conditions) = generics.split_for_impl();
    quote! {
        impl #implementation ::core::clone::Clone for #mirror #arguments #conditions {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl #implementation ::core::marker::Copy for #mirror #arguments #conditions {}
    }
}

fn elt(names: &Names<'_>) -> TokenStream {
    let Names {
        input,
        fields,
        members,
        mirror,
        generics,
        surface,
        ..
    } = names;
    let name = &input.ident;
    let types: Vec<_> = fields.iter().map(|field| &field.ty).collect();
    let [first_type, other_types @ ..] = &types[..] else {
        return quote!();
    };
    let scalars = scalars(
        quote!(<#first_type as #surface::Elt>::Scalars),
        other_types,
        surface,
    );
    let columns = columns(names);
    let (implementation, arguments, conditions) = generics.split_for_impl();
    quote! {
        impl #implementation #surface::Elt for #name #arguments #conditions {
            type Exp = #mirror #arguments;
            type Scalars = #scalars;

            fn tags(out: &mut ::std::vec::Vec<bool>) {
                #(<#types as #surface::Elt>::tags(out);)*
            }

            fn to_raw(exp: Self::Exp, out: &mut ::std::vec::Vec<#surface::RawExp>) {
                #(<#types as #surface::Elt>::to_raw(exp.#members, out);)*
            }

            fn from_raw(source: &mut #surface::RawExps<'_>) -> Self::Exp {
                #mirror { #(#members: <#types as #surface::Elt>::from_raw(source)),* }
            }

            #columns
        }
    }
}

/// The methods between values of the host and columns.
fn columns(names: &Names<'_>) -> TokenStream {
    let Names {
        input,
        fields,
        members,
        locals,
        surface,
        ..
    } = names;
    let name = &input.ident;
    let first = &locals[0];
    let types: Vec<_> = fields.iter().map(|field| &field.ty).collect();
    quote! {
        fn to_columns(
            values: ::std::vec::Vec<Self>,
            out: &mut ::std::vec::Vec<#surface::Column>,
        ) -> ::core::result::Result<(), #surface::HostArrayError> {
            #(let mut #locals = #surface::reserved(values.len())?;)*
            for value in values {
                #(#locals.push(value.#members);)*
            }
            #(<#types as #surface::Elt>::to_columns(#locals, out)?;)*
            ::core::result::Result::Ok(())
        }

        fn from_columns(
            source: &mut dyn ::core::iter::Iterator<Item = #surface::Column>,
        ) -> ::core::result::Result<::std::vec::Vec<Self>, #surface::HostArrayError> {
            #(let mut #locals = <#types as #surface::Elt>::from_columns(source)?.into_iter();)*
            let len = ::core::iter::ExactSizeIterator::len(&#first);
            let mut values = #surface::reserved(len)?;
            while let (#(::core::option::Option::Some(#locals),)*) = (#(#locals.next(),)*) {
                values.push(#name { #(#members: #locals),* });
            }
            ::core::result::Result::Ok(values)
        }
    }
}

/// Some scalars, then those of fields of such types, one after the other.
pub(crate) fn scalars(first: TokenStream, types: &[&Type], surface: &TokenStream) -> TokenStream {
    types.iter().fold(first, |all, next| {
        let next = quote!(<#next as #surface::Elt>::Scalars);
        quote!(<#next as #surface::Scalars>::After<#all>)
    })
}

/// How a mirror stands for an expression.
pub(crate) fn conversions(
    input: &DeriveInput,
    (mirror, generics, surface): (&Ident, &Generics, &TokenStream),
) -> TokenStream {
    let name = &input.ident;
    let (implementation, arguments, conditions) = generics.split_for_impl();
    quote! {
        impl #implementation #surface::IntoExp for #mirror #arguments #conditions {
            type Elt = #name #arguments;

            fn into_exp(self) -> Self {
                self
            }
        }

        impl #implementation #surface::Lift<#name #arguments> for #mirror #arguments #conditions {
            fn lift(self) -> Self {
                self
            }
        }
    }
}
