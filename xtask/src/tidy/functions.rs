//! Rules about functions: their length, and what must not stand in them outside of tests.

use crate::source::Source;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// The longest function allowed, in lines.
const MAX_LINES: usize = 60;
/// The longest function allowed whose body is one flat `match`.
const MAX_MATCH_LINES: usize = 100;
/// The longest arm of a flat `match`.
const MAX_ARM_LINES: usize = 5;
/// Half of all functions must not be longer than this.
const MEDIAN_LINES: usize = 8;
/// Macros that do not belong in finished code.
const FORBIDDEN_MACROS: &[&str] = &["todo", "unimplemented", "dbg", "panic"];
/// Methods that turn an error into a panic.
const FORBIDDEN_METHODS: &[&str] = &["unwrap", "expect", "unwrap_err", "expect_err"];

/// Findings in one file, with their lines.
pub fn problems(source: &Source) -> Vec<(usize, String)> {
    visited(source).found
}

/// A finding if the median function of the product is too long.
pub fn median_finding(sources: &[Source]) -> Option<String> {
    let product = sources.iter().filter(|s| !s.is_test());
    let mut lengths: Vec<usize> = product.flat_map(|s| visited(s).lengths).collect();
    lengths.sort_unstable();
    let median = *lengths.get(lengths.len() / 2)?;
    let message = format!("the median function has {median} lines, at most {MEDIAN_LINES}");
    (median > MEDIAN_LINES).then_some(message)
}

fn visited(source: &Source) -> Visitor {
    let mut visitor = Visitor {
        in_test: source.is_test(),
        found: vec![],
        lengths: vec![],
    };
    match syn::parse_file(&source.text) {
        Ok(file) => visitor.visit_file(&file),
        Err(error) => visitor.report(error.span(), format!("does not parse: {error}")),
    }
    visitor
}

struct Visitor {
    in_test: bool,
    found: Vec<(usize, String)>,
    lengths: Vec<usize>,
}

impl Visitor {
    fn report(&mut self, at: proc_macro2::Span, what: String) {
        self.found.push((at.start().line, what));
    }

    fn function(&mut self, name: &syn::Ident, whole: proc_macro2::Span, body: &syn::Block) {
        let (lines, flat) = (line_count(whole), is_flat_match(body));
        let limit = if flat { MAX_MATCH_LINES } else { MAX_LINES };
        self.lengths.push(lines);
        if lines > limit {
            self.report(
                name.span(),
                format!("`{name}` has {lines} lines, at most {limit}"),
            );
        }
    }

    fn within(&mut self, attributes: &[syn::Attribute], visit: impl FnOnce(&mut Self)) {
        let before = self.in_test;
        self.in_test |= attributes.iter().any(is_test_attribute);
        visit(self);
        self.in_test = before;
    }
}

impl<'a> Visit<'a> for Visitor {
    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        self.within(&item.attrs, |v| visit::visit_item_mod(v, item));
    }

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        self.function(
            &item.sig.ident,
            span_without_docs(item.sig.span(), &item.block),
            &item.block,
        );
        self.within(&item.attrs, |v| visit::visit_item_fn(v, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        self.function(
            &item.sig.ident,
            span_without_docs(item.sig.span(), &item.block),
            &item.block,
        );
        self.within(&item.attrs, |v| visit::visit_impl_item_fn(v, item));
    }

    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        let name = call.method.to_string();
        if !self.in_test && FORBIDDEN_METHODS.contains(&name.as_str()) {
            self.report(
                call.method.span(),
                format!("`{name}` outside of tests: return an error"),
            );
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, call: &'a syn::Macro) {
        let name = call
            .path
            .segments
            .last()
            .map(|s| s.ident.to_string())
            .unwrap_or_default();
        if !self.in_test && FORBIDDEN_MACROS.contains(&name.as_str()) {
            self.report(call.span(), format!("`{name}!` outside of tests"));
        }
        visit::visit_macro(self, call);
    }

    fn visit_expr_match(&mut self, expression: &'a syn::ExprMatch) {
        let on_enum = is_match_on_enum(expression);
        let product = if self.in_test {
            &[]
        } else {
            &expression.arms[..]
        };
        for arm in product {
            let anything = arm.guard.is_none() && is_wildcard(&arm.pat);
            if on_enum && anything {
                let what = "wildcard arm beside variants by path: list the variants";
                self.report(arm.pat.span(), what.into());
            } else if is_disguised(&arm.pat) {
                let what = "wildcard arm by another name: list what it stands for";
                self.report(arm.pat.span(), what.into());
            }
        }
        visit::visit_expr_match(self, expression);
    }
}

fn is_wildcard(pattern: &syn::Pat) -> bool {
    matches!(pattern, syn::Pat::Wild(_))
}

/// Whether a pattern is a wildcard that does not look like one: a name that says that it is not used, or a tuple of
/// such and of wildcards.
fn is_disguised(pattern: &syn::Pat) -> bool {
    let is_anything = |part| is_wildcard(part) || is_disguised(part);
    match pattern {
        syn::Pat::Ident(name) => name.ident.to_string().starts_with('_'),
        syn::Pat::Tuple(tuple) => !tuple.elems.is_empty() && tuple.elems.iter().all(is_anything),
        _ => false,
    }
}

/// Whether some arm names a variant as `Type::Variant`, as arms over our own enums do.
fn is_match_on_enum(expression: &syn::ExprMatch) -> bool {
    expression.arms.iter().any(|arm| match &arm.pat {
        syn::Pat::Path(p) => p.path.segments.len() > 1,
        syn::Pat::TupleStruct(p) => p.path.segments.len() > 1 && !is_foreign(&p.path),
        syn::Pat::Struct(p) => p.path.segments.len() > 1 && !is_foreign(&p.path),
        _ => false,
    })
}

/// Whether the path names a variant of an enum of another project, most of which are `non_exhaustive`.
fn is_foreign(path: &syn::Path) -> bool {
    path.segments
        .first()
        .is_some_and(|s| s.ident == "syn" || s.ident == "std")
}

fn is_test_attribute(attribute: &syn::Attribute) -> bool {
    let path = attribute.path();
    let of_configuration =
        || matches!(&attribute.meta, syn::Meta::List(l) if l.tokens.to_string() == "test");
    path.is_ident("test") || (path.is_ident("cfg") && of_configuration())
}

/// From the signature to the closing brace: attributes and documentation do not count.
fn span_without_docs(signature: proc_macro2::Span, body: &syn::Block) -> proc_macro2::Span {
    signature.join(body.span()).unwrap_or(signature)
}

fn line_count(span: proc_macro2::Span) -> usize {
    span.end().line - span.start().line + 1
}

/// Whether a body is one `match`, perhaps after a few lets, whose arms are all short.
fn is_flat_match(body: &syn::Block) -> bool {
    let Some((syn::Stmt::Expr(last, None), before)) = body.stmts.split_last() else {
        return false;
    };
    let syn::Expr::Match(last) = last else {
        return false;
    };
    before
        .iter()
        .all(|s| matches!(s, syn::Stmt::Local(_) | syn::Stmt::Item(_)))
        && last
            .arms
            .iter()
            .all(|arm| line_count(arm.body.span()) <= MAX_ARM_LINES)
}
