//! The code that `#[derive(Arrays)]` generates.

use crate::input::{core_path, fields, member, with_types};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{DeriveInput, Field, Generics, Ident, Member, Result, Type, parse_quote};

/// What all parts of the generated code refer to.
struct Names<'a> {
    input: &'a DeriveInput,
    fields: Vec<&'a Field>,
    types: Vec<&'a Type>,
    members: Vec<Member>,
    host: Ident,
    /// The struct's, where each field is of arrays.
    generics: Generics,
    core: TokenStream,
}

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let names = names(input)?;
    let (host, arrays) = (host(&names), arrays(&names));
    Ok(quote! { #host #arrays })
}

fn names(input: &DeriveInput) -> Result<Names<'_>> {
    let no_struct =
        "only a struct can stand for arrays of a program: of an enum it is not known which it has";
    let no_fields = "a struct that stands for arrays has at least one: write `()` for none";
    let fields = fields(input, [no_struct, no_fields])?;
    let core = core_path(input, "arrays")?;
    let types: Vec<&Type> = fields.iter().map(|field| &field.ty).collect();
    let mut generics = input.generics.clone();
    let conditions = generics.make_where_clause();
    for ty in &types {
        conditions
            .predicates
            .push(parse_quote!(#ty: #core::surface::Arrays));
    }
    Ok(Names {
        members: fields.iter().enumerate().map(member).collect(),
        host: format_ident!("{}Host", input.ident),
        core: quote!(#core),
        input,
        fields,
        types,
        generics,
    })
}

/// The struct of host arrays.
fn host(names: &Names<'_>) -> TokenStream {
    let Names {
        input,
        fields,
        types,
        members,
        host,
        generics,
        core,
    } = names;
    let hosts: Vec<TokenStream> = types
        .iter()
        .map(|ty| quote!(<#ty as #core::surface::Arrays>::Host))
        .collect();
    let (implementation, arguments, _) = generics.split_for_impl();
    let definition = with_types((input, host, generics), fields, &hosts);
    let doc = format!("The host arrays of a [`{}`].", input.ident);
    let clones = with_bound(generics, &hosts, &quote!(::core::clone::Clone));
    let debugs = with_bound(generics, &hosts, &quote!(::core::fmt::Debug));
    let name = host.to_string();
    let formatted = members.iter().map(|member| match member {
        Member::Named(label) => {
            let label = label.to_string();
            quote!(.field(#label, &self.#member))
        }
        Member::Unnamed(_) => quote!(.field(&self.#member)),
    });
    let format = match &fields[0].ident {
        Some(_) => quote!(debug_struct),
        None => quote!(debug_tuple),
    };
    quote! {
        #[doc = #doc]
        #[allow(missing_docs)]
        #definition

        impl #implementation ::core::clone::Clone for #host #arguments #clones {
            fn clone(&self) -> Self {
                Self { #(#members: ::core::clone::Clone::clone(&self.#members)),* }
            }
        }

        impl #implementation ::core::fmt::Debug for #host #arguments #debugs {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.#format(#name)#(#formatted)*.finish()
            }
        }
    }
}

/// The conditions, and that each of the types has a trait.
fn with_bound(generics: &Generics, types: &[TokenStream], bound: &TokenStream) -> TokenStream {
    let mut generics = generics.clone();
    let conditions = generics.make_where_clause();
    for ty in types {
        conditions.predicates.push(parse_quote!(#ty: #bound));
    }
    quote!(#conditions)
}

fn arrays(names: &Names<'_>) -> TokenStream {
    let Names {
        input,
        fields: _,
        types,
        members,
        host,
        generics,
        core,
    } = names;
    let name = &input.ident;
    let all = columns(types, core);
    let of_one_type = of_one_type(names);
    let (implementation, arguments, conditions) = generics.split_for_impl();
    quote! {
        #of_one_type

        impl #implementation #core::surface::Arrays for #name #arguments #conditions {
            type Host = #host #arguments;
            type Types = #all;

            fn column_counts(out: &mut ::std::vec::Vec<usize>) {
                #(<#types as #core::surface::Arrays>::column_counts(out);)*
            }

            fn tags(out: &mut ::std::vec::Vec<bool>) {
                #(<#types as #core::surface::Arrays>::tags(out);)*
            }

            fn to_raw(self, out: &mut ::std::vec::Vec<#core::surface::RawAcc>) {
                #(<#types as #core::surface::Arrays>::to_raw(self.#members, out);)*
            }

            fn from_columns(source: &mut #core::surface::RawColumns) -> Self {
                Self { #(#members: <#types as #core::surface::Arrays>::from_columns(source)),* }
            }

            fn from_host(host: Self::Host, out: &mut ::std::vec::Vec<#core::host::HostArray>) {
                #(<#types as #core::surface::Arrays>::from_host(host.#members, out);)*
            }

            fn to_host(
                source: &mut dyn ::core::iter::Iterator<Item = #core::host::HostArray>,
            ) -> ::core::option::Option<Self::Host> {
                ::core::option::Option::Some(#host {
                    #(#members: <#types as #core::surface::Arrays>::to_host(source)?),*
                })
            }
        }
    }
}

/// That elements are all of one type where those of all fields are.
fn of_one_type(names: &Names<'_>) -> TokenStream {
    let Names {
        input,
        types,
        generics,
        core,
        ..
    } = names;
    let name = &input.ident;
    let (_, arguments, _) = generics.split_for_impl();
    let element = format_ident!("__Element");
    let mut generics = generics.clone();
    generics
        .params
        .push(parse_quote!(#element: #core::surface::Scalar));
    let conditions = generics.make_where_clause();
    for ty in types {
        conditions
            .predicates
            .push(parse_quote!(#ty: #core::surface::ArraysOf<#element>));
    }
    let (implementation, _, conditions) = generics.split_for_impl();
    quote! {
        impl #implementation #core::surface::ArraysOf<#element> for #name #arguments #conditions {}
    }
}

/// The types of all columns, one after the other.
fn columns(types: &[&Type], core: &TokenStream) -> TokenStream {
    let lists = types
        .iter()
        .map(|ty| quote!(<#ty as #core::surface::Arrays>::Types));
    let env = quote!(#core::typed::Env<#core::types::ArrayType>);
    let joined = lists.reduce(|all, next| quote!(<#next as #env>::On<#all>));
    joined.unwrap_or_else(|| quote!(()))
}
