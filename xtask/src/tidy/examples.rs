//! What users call has an example in its docs: each public function of the language's surface, and each public method
//! of its types, those that macros make included.

use crate::source::Source;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::Visit;
use syn::{Attribute, Expr, ExprLit, ImplItem, Lit, Meta, Type, Visibility};

/// Where these functions and methods are.
const FILES: &[&str] = &["core/src/surface/", "src/program.rs", "src/placed.rs"];
/// The types whose methods users call.
const TYPES: &[&str] = &["Exp", "Acc", "Array", "Program", "Placed"];
/// What begins an example, and what is in one that can fail.
const FENCE: &str = "```";
const ASSERTION: &str = "assert";

/// Findings in one file, with their lines.
pub fn problems(source: &Source) -> Vec<(usize, String)> {
    let path = source.path.to_string_lossy();
    let is_surface = FILES.iter().any(|start| path.starts_with(start));
    let mut visitor = Visitor { found: vec![] };
    // That a file does not parse is found elsewhere.
    if let (true, false, Ok(file)) = (is_surface, source.is_test(), syn::parse_file(&source.text)) {
        visitor.visit_file(&file);
    }
    visitor.found
}

fn has_example(docs: &str) -> bool {
    docs.contains(FENCE) && docs.contains(ASSERTION)
}

struct Visitor {
    found: Vec<(usize, String)>,
}

impl Visitor {
    fn function(&mut self, visibility: &Visibility, attributes: &[Attribute], name: &syn::Ident) {
        let docs = attributes.iter().map(doc_text).collect::<String>();
        let is_hidden = attributes.iter().any(is_hidden);
        if matches!(visibility, Visibility::Public(_)) && !is_hidden && !has_example(&docs) {
            self.report(name.span(), &name.to_string());
        }
    }

    fn report(&mut self, at: proc_macro2::Span, name: &str) {
        let what = format!("the docs of `{name}` have no example that asserts something");
        self.found.push((at.start().line, what));
    }

    /// The declarations in a macro's call: docs, tokens with `name =` among them, and a semicolon.
    fn declarations(&mut self, tokens: TokenStream) {
        let (mut docs, mut name, mut last) = (String::new(), None, None);
        for token in tokens {
            match &token {
                TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
                    docs += &group.stream().to_string();
                }
                TokenTree::Ident(ident) => last = Some(ident.clone()),
                TokenTree::Punct(punct) if punct.as_char() == '=' && name.is_none() => {
                    name = last.take();
                }
                TokenTree::Punct(punct) if punct.as_char() == ';' => {
                    if let (Some(name), false) = (name.take(), has_example(&docs)) {
                        self.report(name.span(), &name.to_string());
                    }
                    docs.clear();
                }
                TokenTree::Group(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
}

impl<'a> Visit<'a> for Visitor {
    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        self.function(&item.vis, &item.attrs, &item.sig.ident);
    }

    fn visit_item_impl(&mut self, item: &'a syn::ItemImpl) {
        if item.trait_.is_some() || !is_of_interest(&item.self_ty) {
            return;
        }
        for part in &item.items {
            if let ImplItem::Fn(method) = part {
                self.function(&method.vis, &method.attrs, &method.sig.ident);
            }
            if let ImplItem::Macro(call) = part {
                self.declarations(call.mac.tokens.clone());
            }
        }
    }
}

fn is_of_interest(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let last = path.path.segments.last();
    last.is_some_and(|segment| TYPES.iter().any(|name| segment.ident == name))
}

/// The text of a doc comment; nothing of another attribute.
fn doc_text(attribute: &Attribute) -> String {
    let Meta::NameValue(pair) = &attribute.meta else {
        return String::new();
    };
    let value = Some(&pair.value).filter(|_| pair.path.is_ident("doc"));
    if let Some(Expr::Lit(ExprLit {
        lit: Lit::Str(text),
        ..
    })) = value
    {
        return text.value();
    }
    String::new()
}

fn is_hidden(attribute: &Attribute) -> bool {
    let is_list =
        |meta: &Meta| matches!(meta, Meta::List(list) if list.tokens.to_string() == "hidden");
    attribute.path().is_ident("doc") && is_list(&attribute.meta)
}
