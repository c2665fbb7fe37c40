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
        "backend-gpu",
        "cotangent-ad",
        "backends run schedules and nothing else",
    ),
    (
        "backend-gpu",
        "cotangent-fusion",
        "backends run schedules and nothing else",
    ),
    (
        "backend-gpu",
        "cotangent-backend-cpu",
        "the facade holds both backends, neither holds the other",
    ),
    (
        "backend-cpu",
        "cotangent-backend-gpu",
        "the facade holds both backends, neither holds the other",
    ),
    ("shaders", "wgpu", "text is made without a device"),
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
        ".",
        "clap",
        "users of the library must not compile the command line",
    ),
    (
        ".",
        "indicatif",
        "users of the library must not compile the command line",
    ),
    (
        ".",
        "serde",
        "explanations are written by a crate of their own",
    ),
    (".", "wgpu", "devices are opened by a crate of their own"),
];

/// Dependencies that users must ask for by a feature, as (crate folder, dependency, why).
const OPTIONAL: &[(&str, &str, &str)] = &[
    (
        ".",
        "cotangent-backend-gpu",
        "users of the CPU must not compile wgpu",
    ),
    (
        ".",
        "cotangent-shaders",
        "users of the CPU have no use for shaders",
    ),
    (
        "core",
        "serde",
        "explanations are written by a crate of their own, and few want arrays as data",
    ),
    ("core", "ndarray", "few have arrays of others"),
    ("core", "nalgebra", "few have arrays of others"),
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
        if dependencies(&manifest).any(|(name, _)| name == *dependency) {
            found.push(format!(
                "{}: must not depend on {dependency}: {why}",
                path.display()
            ));
        }
    }
    for (folder, dependency, why) in OPTIONAL {
        let path = Path::new(folder).join("Cargo.toml");
        let manifest = std::fs::read_to_string(root.join(&path))?;
        if is_always_there(&manifest, dependency) {
            found.push(format!(
                "{}: {dependency} must be optional: {why}",
                path.display()
            ));
        }
    }
    Ok(found)
}

/// Whether a manifest has a dependency that is not optional, or is one by default.
fn is_always_there(manifest: &str, dependency: &str) -> bool {
    let mut found = dependencies(manifest).filter(|(name, _)| *name == dependency);
    let by_default = is_default(manifest, dependency);
    found.any(|(_, line)| by_default || !line.contains("optional = true"))
}

/// Whether a default feature, or one that it names, brings a dependency in.
fn is_default(manifest: &str, dependency: &str) -> bool {
    let lines = || manifest.lines().filter_map(|line| line.split_once(" = ["));
    let names = |list: &str| {
        list.split('"')
            .skip(1)
            .step_by(2)
            .map(str::to_string)
            .collect()
    };
    let of = |feature: &str| -> Vec<String> {
        let own = lines().filter(|(name, _)| *name == feature);
        own.flat_map(|(_, list)| -> Vec<String> { names(list) })
            .collect()
    };
    let mut found = of("default");
    let mut next = 0;
    while let Some(feature) = found.get(next) {
        let new: Vec<String> = of(feature)
            .into_iter()
            .filter(|f| !found.contains(f))
            .collect();
        found.extend(new);
        next += 1;
    }
    let dep = format!("dep:{dependency}");
    found.iter().any(|f| f == dependency || *f == dep)
}

/// The names in a manifest's `[dependencies]` table, with their lines; development dependencies are free.
fn dependencies(manifest: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = manifest
        .lines()
        .skip_while(|l| l.trim() != "[dependencies]")
        .skip(1);
    let lines = lines.take_while(|l| !l.starts_with('['));
    lines
        .filter_map(|l| Some((l.split(['=', '.', ' ']).next()?, l)))
        .filter(|(name, _)| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{dependencies, is_always_there};

    #[test]
    fn reads_the_dependency_table_only() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\nclap.workspace = true\n\
                        rayon = \"1\"\n[dev-dependencies]\nquickcheck = \"1\"\n";
        assert_eq!(
            dependencies(manifest)
                .map(|(name, _)| name)
                .collect::<Vec<_>>(),
            ["clap", "rayon"]
        );
    }

    #[test]
    fn optional_means_neither_always_nor_by_default() {
        let optional = "[dependencies]\nx = { workspace = true, optional = true }\n";
        assert!(!is_always_there(optional, "x"));
        assert!(!is_always_there(optional, "y"));
        assert!(is_always_there("[dependencies]\nx.workspace = true\n", "x"));
        let by_default = format!("[features]\ndefault = [\"x\"]\n{optional}");
        assert!(is_always_there(&by_default, "x"));
        let features = "[features]\ndefault = [\"a\"]\na = [\"dep:y\"]\nb = [\"dep:x\"]\n";
        assert!(!is_always_there(&format!("{features}{optional}"), "x"));
        let features = "[features]\ndefault = [\"a\"]\na = [\"b\"]\nb = [\"dep:x\"]\n";
        assert!(is_always_there(&format!("{features}{optional}"), "x"));
    }
}
