//! `cargo xtask pages`: what the facade re-exports has pages in its own documentation, made by `cargo doc` before.
//!
//! Rustdoc leaves out what comes from another crate, unless `#[doc(inline)]` asks for it; and what nobody can look up is
//! as good as not there. Names come from `src/lib.rs`, and those of the prelude from the language's own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use syn::{Attribute, Item, ItemMod, ItemUse, UseTree, Visibility};

/// The facade, and the file with the module that its prelude takes whole.
const SOURCES: [&str; 2] = ["src/lib.rs", "core/src/surface.rs"];

/// A name that should have a page, in the folder of its module.
type Page = (PathBuf, String);

/// Checks the documentation and prints what is missing.
pub fn run(root: &Path) -> ExitCode {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    match missing(root, &target.join("doc/cotangent")) {
        Ok(missing) if missing.is_empty() => ExitCode::SUCCESS,
        Ok(missing) => {
            for (folder, name) in &missing {
                let folder = folder.display();
                eprintln!(
                    "`{name}` has no page in `{folder}`: write `#[doc(inline)]` where it is re-exported"
                );
            }
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("pages: {error}; has `cargo doc` been run?");
            ExitCode::FAILURE
        }
    }
}

fn missing(root: &Path, docs: &Path) -> Result<Vec<Page>, Box<dyn std::error::Error>> {
    let mut pages = BTreeSet::new();
    for source in SOURCES {
        let file = syn::parse_file(&std::fs::read_to_string(root.join(source))?)?;
        let only_prelude = source != SOURCES[0];
        pages.extend(names(&file.items, Path::new(""), only_prelude));
    }
    let mut missing = vec![];
    for (folder, name) in pages {
        if !has_page(&docs.join(&folder), &name)? {
            missing.push((folder, name));
        }
    }
    Ok(missing)
}

/// Whether the folder has a page `struct.Name.html` or of another kind, or a folder for a module.
fn has_page(folder: &Path, name: &str) -> std::io::Result<bool> {
    let end = format!(".{name}.html");
    for entry in std::fs::read_dir(folder)? {
        let file = entry?.file_name().to_string_lossy().into_owned();
        if file == name || file.ends_with(&end) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The names that public, visible `use` items have, those in public modules included.
fn names(items: &[Item], folder: &Path, only_prelude: bool) -> Vec<Page> {
    let mut found = vec![];
    for item in items {
        if let Item::Use(item) = item {
            let is_wanted = is_shown(&item.vis, &item.attrs) && !only_prelude;
            let used = if is_wanted { used(item) } else { vec![] };
            found.extend(used.into_iter().map(|name| (folder.to_owned(), name)));
        }
        if let Item::Mod(module) = item
            && is_shown(&module.vis, &module.attrs)
        {
            found.extend(in_module(module, folder, only_prelude));
        }
    }
    found
}

fn in_module(module: &ItemMod, folder: &Path, only_prelude: bool) -> Vec<Page> {
    let is_wanted = !only_prelude || module.ident == "prelude";
    match &module.content {
        Some((_, items)) if is_wanted => {
            names(items, &folder.join(module.ident.to_string()), false)
        }
        Some(_) | None => vec![],
    }
}

/// Public, not hidden, and there without features.
fn is_shown(visibility: &Visibility, attributes: &[Attribute]) -> bool {
    let leaves_out = |attribute: &Attribute| {
        let path = attribute.path();
        let hides = |meta: &syn::MetaList| meta.tokens.to_string() == "hidden";
        path.is_ident("cfg")
            || path.is_ident("doc") && attribute.meta.require_list().is_ok_and(hides)
    };
    matches!(visibility, Visibility::Public(_)) && !attributes.iter().any(leaves_out)
}

fn used(item: &ItemUse) -> Vec<String> {
    let (mut names, mut trees) = (vec![], vec![&item.tree]);
    while let Some(tree) = trees.pop() {
        match tree {
            UseTree::Path(path) => trees.push(&path.tree),
            UseTree::Name(name) => names.push(name.ident.to_string()),
            UseTree::Rename(rename) => names.push(rename.rename.to_string()),
            UseTree::Group(group) => trees.extend(&group.items),
            // What a glob brings is found in the file that it takes it from.
            UseTree::Glob(_) => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::{Page, names};
    use std::path::Path;

    fn found(text: &str, only_prelude: bool) -> Vec<Page> {
        let file = syn::parse_file(text).unwrap();
        let mut found = names(&file.items, Path::new(""), only_prelude);
        found.sort();
        found
    }

    #[test]
    fn names_are_those_that_users_see() {
        let text = "pub use a::b::{C, d as e}; use x::F; #[doc(hidden)] pub use x::G; #[cfg(y)] pub use x::H; \
                    #[doc(inline)] pub use x::J; pub mod prelude { pub use z::{K, l::*}; } mod m { pub use z::L; }";
        let page = |folder: &str, name: &str| (folder.into(), name.to_owned());
        let prelude = page("prelude", "K");
        let all = [page("", "C"), page("", "J"), page("", "e"), prelude.clone()];
        assert_eq!(found(text, false), all);
        assert_eq!(found(text, true), [prelude]);
    }
}
