//! The code that `#[derive(Elt)]` generates for an enum.
//!
//! An element is the number of its variant, its tag, then the scalars of all variants in order of declaration.

use crate::elt::{conversions, copies, element_generics, scalars};
use crate::input::{core_path, member};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{DataEnum, DeriveInput, Error, Generics, Ident, Member, Result, Type};

/// What all parts of the generated code refer to.
struct Names<'a> {
    input: &'a DeriveInput,
    variants: Vec<Variant<'a>>,
    mirror: Ident,
    /// The enum's, each type parameter an element type.
    generics: Generics,
    /// The module `surface` of the core crate.
    surface: TokenStream,
}

struct Variant<'a> {
    ident: &'a Ident,
    tag: i32,
    /// Its name as that of a function, which is that of its part of the mirror, too.
    function: Ident,
    members: Vec<Member>,
    types: Vec<&'a Type>,
    /// One parameter of a function per field.
    params: Vec<Ident>,
    /// One vector per field.
    locals: Vec<Ident>,
}

pub(crate) fn derive(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    let names = names(input, data)?;
    let mirror = mirror(&names);
    let methods = methods(&names);
    let elt = elt(&names);
    let conversions = conversions(input, (&names.mirror, &names.generics, &names.surface));
    Ok(quote! { #mirror #methods #elt #conversions })
}

fn names<'a>(input: &'a DeriveInput, data: &'a DataEnum) -> Result<Names<'a>> {
    if data.variants.is_empty() {
        let problem = "an element must be of some variant: this enum has none";
        return Err(Error::new_spanned(&input.ident, problem));
    }
    let core = core_path(input, "elt")?;
    let surface = quote!(#core::surface);
    Ok(Names {
        variants: (0..).zip(&data.variants).map(variant).collect(),
        mirror: format_ident!("{}E", input.ident),
        generics: element_generics(input, &surface),
        input,
        surface,
    })
}

fn variant((tag, variant): (i32, &syn::Variant)) -> Variant<'_> {
    let fields: Vec<_> = variant.fields.iter().collect();
    let named = |(i, field): (usize, &&syn::Field)| match &field.ident {
        Some(name) => name.clone(),
        None => format_ident!("value_{i}"),
    };
    Variant {
        ident: &variant.ident,
        tag,
        function: function_name(&variant.ident.to_string()),
        members: fields.iter().enumerate().map(member).collect(),
        types: fields.iter().map(|field| &field.ty).collect(),
        params: fields.iter().enumerate().map(named).collect(),
        locals: (0..fields.len())
            .map(|i| format_ident!("field_{tag}_{i}"))
            .collect(),
    }
}

/// The name of a variant as that of a function: `HttpError` and `HTTPError` as `http_error`, `If` as `if_`.
fn function_name(variant: &str) -> Ident {
    let letters: Vec<char> = variant.trim_start_matches("r#").chars().collect();
    let mut name = String::new();
    for (i, letter) in letters.iter().enumerate() {
        let after_small = i > 0 && !letters[i - 1].is_uppercase() && letters[i - 1] != '_';
        let before_small = letters.get(i + 1).is_some_and(|next| next.is_lowercase());
        let after_capital = i > 0 && letters[i - 1].is_uppercase();
        if letter.is_uppercase() && (after_small || after_capital && before_small) {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
    }
    match name.as_str() {
        // Methods of all mirrors.
        "tag" | "match" => format_ident!("{name}_variant"),
        _ => syn::parse_str(&name)
            .unwrap_or_else(|_| Ident::new(&format!("{name}_"), Span::call_site())),
    }
}

/// The mirror struct, `Copy` whatever the parameters are.
fn mirror(names: &Names<'_>) -> TokenStream {
    let Names {
        input,
        variants,
        mirror,
        generics,
        surface,
    } = names;
    let parts = variants.iter().map(
        |Variant {
             function, types, ..
         }| { quote!(#function: (#(<#types as #surface::Elt>::Exp,)*)) },
    );
    let (visibility, conditions) = (&input.vis, &generics.where_clause);
    let doc = format!(
        "The mirror of [`{}`]: one of its variants, of expressions.",
        input.ident
    );
    let copies = copies(mirror, generics);
    quote! {
        #[doc = #doc]
        #visibility struct #mirror #generics #conditions {
            tag: #surface::Exp<i32>,
            #(#parts,)*
        }

        #copies
    }
}

fn methods(names: &Names<'_>) -> TokenStream {
    let Names {
        input,
        variants,
        mirror,
        generics,
        surface,
    } = names;
    let visibility = &input.vis;
    let constructors = variants.iter().map(|variant| constructor(names, variant));
    let tests = variants.iter().map(|variant| test(names, variant));
    let match_ = match_(names);
    let (implementation, arguments, conditions) = generics.split_for_impl();
    quote! {
        #[allow(dead_code)]
        impl #implementation #mirror #arguments #conditions {
            /// The position of the variant, in order of declaration, from 0.
            #visibility fn tag(self) -> #surface::Exp<i32> {
                self.tag
            }

            #(#constructors)*
            #(#tests)*
            #match_
        }
    }
}

/// A function that makes a variant of its fields.
fn constructor(names: &Names<'_>, made: &Variant<'_>) -> TokenStream {
    let Names {
        input,
        variants,
        surface,
        ..
    } = names;
    let Variant {
        ident,
        tag,
        function,
        types,
        params,
        ..
    } = made;
    let others = variants.iter().filter(|other| other.tag != *tag);
    let others = others.map(
        |Variant {
             function, types, ..
         }| { quote!(#function: (#(#surface::absent::<#types>(),)*)) },
    );
    let visibility = &input.vis;
    let doc = format!("[`{}::{ident}`].", input.ident);
    quote! {
        #[doc = #doc]
        #[track_caller]
        #visibility fn #function(#(#params: impl #surface::Lift<#types>),*) -> Self {
            Self {
                tag: #surface::Lift::<i32>::lift(#tag),
                #function: (#(#surface::Lift::<#types>::lift(#params),)*),
                #(#others,)*
            }
        }
    }
}

/// A method that says whether there is a variant.
fn test(
    names: &Names<'_>,
    Variant {
        ident,
        tag,
        function,
        ..
    }: &Variant<'_>,
) -> TokenStream {
    let surface = &names.surface;
    let visibility = &names.input.vis;
    let name = function.to_string();
    let name = format_ident!("is_{}", name.trim_end_matches('_'));
    let doc = format!("Whether it is [`{}::{ident}`].", names.input.ident);
    quote! {
        #[doc = #doc]
        #[track_caller]
        #visibility fn #name(self) -> #surface::Exp<bool> {
            self.tag.eq_(#tag)
        }
    }
}

/// The method that asks for one function for each variant.
fn match_(names: &Names<'_>) -> TokenStream {
    let Names {
        input,
        variants,
        surface,
        ..
    } = names;
    let functions: Vec<_> = variants.iter().map(|variant| &variant.function).collect();
    let types = variants.iter().map(|variant| &variant.types);
    let inputs = types.map(|types| quote!(#(<#types as #surface::Elt>::Exp),*));
    let results: Vec<_> = (0..variants.len()).map(|i| format_ident!("R{i}")).collect();
    let (first, others) = (&results[0], &results[1..]);
    let chosen = chosen(names);
    let visibility = &input.vis;
    quote! {
        /// What the function for its variant makes of its fields; the others are not evaluated. Functions are in order of
        /// declaration, and the first one says of which type the result is.
        #[track_caller]
        #visibility fn match_<#first: #surface::IntoExp #(, #others: #surface::Lift<#first::Elt>)*>(
            self,
            #(#functions: impl ::core::ops::FnOnce(#inputs) -> #results,)*
        ) -> #surface::E<#first::Elt> {
            #chosen
        }
    }
}

/// The result of the function for the variant that there is: that of the last one, if it is none of the others.
fn chosen(names: &Names<'_>) -> TokenStream {
    let surface = &names.surface;
    let calls = names.variants.iter().map(
        |Variant {
             tag,
             function,
             types,
             ..
         }| {
            let fields = (0..types.len()).map(syn::Index::from);
            let call = quote!(#function(#(self.#function.#fields),*));
            (
                tag,
                if *tag == 0 {
                    quote!(#surface::IntoExp::into_exp(#call))
                } else {
                    call
                },
            )
        },
    );
    let chained = calls.rev().reduce(|(_, rest), (tag, call)| {
        (
            tag,
            quote!(#surface::cond::<R0::Elt>(self.tag.eq_(#tag), #call, #rest)),
        )
    });
    chained.map(|(_, chosen)| chosen).unwrap_or_default()
}

fn elt(names: &Names<'_>) -> TokenStream {
    let Names {
        input,
        variants,
        mirror,
        generics,
        surface,
    } = names;
    let name = &input.ident;
    let parts = variants.iter().flat_map(|variant| {
        let Variant {
            function, types, ..
        } = variant;
        let index = (0..types.len()).map(syn::Index::from);
        let part = move |(ty, index)| (ty, quote!(exp.#function.#index));
        types.iter().copied().zip(index).map(part)
    });
    let (types, fields): (Vec<&Type>, Vec<TokenStream>) = parts.unzip();
    let functions = variants.iter().map(|variant| &variant.function);
    let made = variants
        .iter()
        .map(|Variant { types, .. }| quote!((#(<#types as #surface::Elt>::from_raw(source),)*)));
    let scalars = scalars(quote!(<i32 as #surface::Elt>::Scalars), &types, surface);
    let columns = columns(names);
    let (implementation, arguments, conditions) = generics.split_for_impl();
    quote! {
        impl #implementation #surface::Elt for #name #arguments #conditions {
            type Exp = #mirror #arguments;
            type Scalars = #scalars;

            fn tags(out: &mut ::std::vec::Vec<bool>) {
                out.push(true);
                #(<#types as #surface::Elt>::tags(out);)*
            }

            fn to_raw(exp: Self::Exp, out: &mut ::std::vec::Vec<#surface::RawExp>) {
                out.push(exp.tag.raw());
                #(<#types as #surface::Elt>::to_raw(#fields, out);)*
            }

            fn from_raw(source: &mut #surface::RawExps<'_>) -> Self::Exp {
                #mirror {
                    tag: <i32 as #surface::Elt>::from_raw(source),
                    #(#functions: #made,)*
                }
            }

            #columns
        }
    }
}

/// The methods between values of the host and columns.
fn columns(names: &Names<'_>) -> TokenStream {
    let to_columns = to_columns(names);
    let from_columns = from_columns(names);
    let surface = &names.surface;
    quote! {
        fn to_columns(
            values: ::std::vec::Vec<Self>,
            out: &mut ::std::vec::Vec<#surface::Column>,
        ) -> ::core::result::Result<(), #surface::HostArrayError> {
            #to_columns
        }

        fn from_columns(
            source: &mut dyn ::core::iter::Iterator<Item = #surface::Column>,
        ) -> ::core::result::Result<::std::vec::Vec<Self>, #surface::HostArrayError> {
            #from_columns
        }
    }
}

fn to_columns(names: &Names<'_>) -> TokenStream {
    let surface = &names.surface;
    let name = &names.input.ident;
    let locals = names.variants.iter().flat_map(|variant| &variant.locals);
    let cases = names.variants.iter().map(|variant| {
        let Variant {
            ident,
            tag,
            members,
            locals,
            ..
        } = variant;
        let parts: Vec<Ident> = (0..locals.len())
            .map(|i| format_ident!("part_{i}"))
            .collect();
        quote! {
            #name::#ident { #(#members: #parts),* } => {
                tags.push(#tag);
                #(#locals.push(#parts);)*
            }
        }
    });
    let columns = names.variants.iter().map(|variant| {
        let Variant {
            tag, types, locals, ..
        } = variant;
        quote! {
            there.clear();
            there.extend(tags.iter().map(|tag| *tag == #tag));
            #(#surface::some_to_columns::<#types>(#locals, &there, out)?;)*
        }
    });
    quote! {
        let mut tags: ::std::vec::Vec<i32> = #surface::reserved(values.len())?;
        let mut there: ::std::vec::Vec<bool> = #surface::reserved(values.len())?;
        #(let mut #locals = #surface::reserved(values.len())?;)*
        for value in values {
            match value { #(#cases)* }
        }
        let first = out.len();
        #(#columns)*
        out.insert(first, #surface::Column::from(tags));
        ::core::result::Result::Ok(())
    }
}

fn from_columns(names: &Names<'_>) -> TokenStream {
    let surface = &names.surface;
    let name = &names.input.ident;
    let columns = names.variants.iter().map(|variant| {
        let Variant { tag, types, locals, .. } = variant;
        quote! {
            there.clear();
            there.extend(tags.iter().map(|tag| *tag == #tag));
            #(let mut #locals = #surface::some_from_columns::<#types>(source, &there)?.into_iter();)*
        }
    });
    let cases = names.variants.iter().map(|variant| {
        let Variant {
            ident,
            tag,
            members,
            locals,
            ..
        } = variant;
        quote!(#tag => #name::#ident { #(#members: #locals.next()?),* },)
    });
    quote! {
        let tags = <i32 as #surface::Elt>::from_columns(source)?;
        let mut there: ::std::vec::Vec<bool> = #surface::reserved(tags.len())?;
        #(#columns)*
        let mut values = #surface::reserved(tags.len())?;
        let mut next = |tag: i32| ::core::option::Option::Some(match tag {
            #(#cases)*
            _ => return ::core::option::Option::None,
        });
        for tag in tags {
            values.push(next(tag).ok_or(#surface::HostArrayError::Columns)?);
        }
        ::core::result::Result::Ok(values)
    }
}
