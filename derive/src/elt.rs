//! The code that `#[derive(Elt)]` generates.

use crate::input::{core_path, fields, member, with_types};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{DeriveInput, Field, Generics, Ident, Member, Result, Type, parse_quote};

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
    let names = names(input)?;
    let mirror = mirror(&names);
    let elt = elt(&names);
    let conversions = conversions(&names);
    Ok(quote! { #mirror #elt #conversions })
}

fn names(input: &DeriveInput) -> Result<Names<'_>> {
    let enum_problem = "only a struct can be an element of an array: an enum or union has no fixed sequence of scalars";
    let empty_problem = "an element must hold at least one scalar: this struct has no fields";
    let fields = fields(input, [enum_problem, empty_problem])?;
    let core = core_path(input, "elt")?;
    let surface = quote!(#core::surface);
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(#surface::Elt));
    }
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
    let (implementation, arguments, conditions) = generics.split_for_impl();
    let definition = with_types((input, mirror, generics), fields, &types);
    let doc = format!(
        "The mirror of [`{}`]: its fields as expressions.",
        input.ident
    );
    quote! {
        #[doc = #doc]
        #[allow(missing_docs)]
        #definition

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
        locals,
        mirror,
        generics,
        surface,
    } = names;
    let name = &input.ident;
    let first = &locals[0];
    let types: Vec<_> = fields.iter().map(|field| &field.ty).collect();
    let scalars = scalars(&types, surface);
    let (implementation, arguments, conditions) = generics.split_for_impl();
    quote! {
        impl #implementation #surface::Elt for #name #arguments #conditions {
            type Exp = #mirror #arguments;
            type Scalars = #scalars;

            fn to_raw(exp: Self::Exp, out: &mut ::std::vec::Vec<#surface::RawExp>) {
                #(<#types as #surface::Elt>::to_raw(exp.#members, out);)*
            }

            fn from_raw(source: &mut #surface::RawExps<'_>) -> Self::Exp {
                #mirror { #(#members: <#types as #surface::Elt>::from_raw(source)),* }
            }

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
}

/// The scalars of all fields, one after the other.
fn scalars(types: &[&Type], surface: &TokenStream) -> TokenStream {
    let lists = types
        .iter()
        .map(|ty| quote!(<#ty as #surface::Elt>::Scalars));
    let joined = lists.reduce(|all, next| quote!(<#next as #surface::Scalars>::After<#all>));
    joined.unwrap_or_else(|| quote!(()))
}

fn conversions(names: &Names<'_>) -> TokenStream {
    let Names {
        input,
        mirror,
        generics,
        surface,
        ..
    } = names;
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
