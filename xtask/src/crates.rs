//! Which crate may depend on which (ARCHITECTURE.md, "Crates").

use std::path::Path;

/// Dependencies that must not be, as (crate folder, dependency, why).
const FORBIDDEN: &[(&str, &str, &str)] = &[
    ("core", "cotangent-ad", "core is below everything"),
    ("core", "cotangent-fusion", "core is below everything"),
    ("core", "cotangent-backend-cpu", "core is below everything"),
    ("core", "cotangent", "core is below everything"),
    (
        "core",
        "rayon",
        "core describes parallel work, backends do it",
    ),
    (
        "ad",
        "cotangent-fusion",
        "AD makes ordinary programs and knows nothing of kernels",
    ),
    (
        "ad",
        "cotangent-backend-cpu",
        "AD makes ordinary programs and knows nothing of backends",
    ),
    (
        "fusion",
        "cotangent-ad",
        "fusion sees ordinary programs only",
    ),
    (
        "fusion",
        "cotangent-backend-cpu",
        "schedules are the same for all backends",
    ),
    (
        "backend-cpu",
        "cotangent-ad",
        "backends run schedules and nothing else",
    ),
    (
        "backend-cpu",
        "cotangent-fusion",
        "backends run schedules and nothing else",
    ),
    (
        "explain",
        "cotangent-fusion",
        "explanations read schedules and what is noted beside them",
    ),
    (
        "explain",
        "cotangent-backend-cpu",
        "figures are the same for all backends",
    ),
    (
        "core",
        "serde",
        "explanations are written by a crate of their own",
    ),
    (
        ".",
        "clap",
        "users of the library must not compile the command line",
    ),
    (
        ".",
        "indicatif",
        "users of the library must not compile the command line",
    ),
];

/// The forbidden edges that the manifests below `root` have.
///
/// # Errors
/// Where a manifest cannot be read.
pub fn forbidden_edges(root: &Path) -> std::io::Result<Vec<String>> {
    let mut found = vec![];
    for (folder, dependency, why) in FORBIDDEN {
        let path = Path::new(folder).join("Cargo.toml");
        let manifest = std::fs::read_to_string(root.join(&path))?;
        if dependencies(&manifest).any(|d| d == *dependency) {
            found.push(format!(
                "{}: must not depend on {dependency}: {why}",
                path.display()
            ));
        }
    }
    Ok(found)
}

/// The names in a manifest's `[dependencies]` table; development dependencies are free.
fn dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    let lines = manifest
        .lines()
        .skip_while(|l| l.trim() != "[dependencies]")
        .skip(1);
    let lines = lines.take_while(|l| !l.starts_with('['));
    lines
        .filter_map(|l| l.split(['=', '.', ' ']).next())
        .filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::dependencies;

    #[test]
    fn reads_the_dependency_table_only() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\nclap.workspace = true\n\
                        rayon = \"1\"\n[dev-dependencies]\nquickcheck = \"1\"\n";
        assert_eq!(
            dependencies(manifest).collect::<Vec<_>>(),
            ["clap", "rayon"]
        );
    }
}
