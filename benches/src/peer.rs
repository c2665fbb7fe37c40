//! Peers as processes of their own on the same input; among them the scalar one, compiled for this very machine.

use cotangent_adbench::ba::BaInput;
use cotangent_adbench::gmm::{GmmInput, reference};
use std::io;
use std::path::PathBuf;
use std::process::Command;

/// The compiled peer and a folder for its files.
pub struct Peer {
    folder: Folder,
}

/// A folder for the files of a peer, removed in the end.
pub struct Folder(PathBuf);

/// What the peer measured and computed.
pub struct Measured {
    /// Seconds for the objective.
    pub primal: f64,
    /// Seconds for the derivative.
    pub derivative: f64,
    /// The derivative.
    pub values: Vec<f64>,
    /// What it said on standard error.
    pub remarks: String,
}

impl Peer {
    /// Compiles the peer with `-C opt-level=3 -C target-cpu=native`.
    ///
    /// # Errors
    /// Where `rustc` cannot be run or fails.
    pub fn compile() -> io::Result<Self> {
        let folder = Folder::create()?;
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/scalar.rs");
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let mut command = Command::new(rustc);
        command.args([
            "--edition",
            "2024",
            "-C",
            "opt-level=3",
            "-C",
            "target-cpu=native",
            "-o",
        ]);
        let status = command.arg(folder.0.join("scalar")).arg(source).status()?;
        if !status.success() {
            return Err(io::Error::other(
                "rustc could not compile benches/peers/scalar.rs",
            ));
        }
        Ok(Self { folder })
    }

    /// Runs GMM.
    ///
    /// # Errors
    /// Where the peer cannot be run or fails.
    pub fn gmm(&self, input: &GmmInput, threads: usize, seconds: f64) -> io::Result<Measured> {
        self.run("gmm", gmm_numbers(input), threads, seconds)
    }

    /// Runs BA.
    ///
    /// # Errors
    /// Where the peer cannot be run or fails.
    pub fn ba(&self, input: &BaInput, threads: usize, seconds: f64) -> io::Result<Measured> {
        let (n, m, p) = input.sizes();
        let observations = input
            .observations
            .iter()
            .flat_map(|&(c, x)| [f64::from(c), f64::from(x)]);
        let numbers = [n, m, p].into_iter().map(|s| s as f64);
        let numbers = numbers.chain(input.cameras.iter().flatten().copied());
        let numbers = numbers.chain(input.points.iter().flatten().copied());
        let numbers = numbers.chain(input.weights.iter().copied());
        let numbers = numbers
            .chain(input.features.iter().flatten().copied())
            .chain(observations);
        self.run("ba", numbers, threads, seconds)
    }

    /// Runs the product of two matrices of n × n edges, for shortest paths, in 32 or 64 bits. Both times are its.
    ///
    /// # Errors
    /// Where the peer cannot be run or fails.
    pub fn paths(
        &self,
        bits: u32,
        (n, [a, b]): (usize, [&[f64]; 2]),
        threads: usize,
        seconds: f64,
    ) -> io::Result<Measured> {
        let numbers = std::iter::once(n as f64).chain(a.iter().chain(b).copied());
        self.run(&format!("paths{bits}"), numbers, threads, seconds)
    }

    fn run(
        &self,
        task: &str,
        numbers: impl Iterator<Item = f64>,
        threads: usize,
        seconds: f64,
    ) -> io::Result<Measured> {
        let mut command = Command::new(self.folder.0.join("scalar"));
        command.arg(task);
        measure(command, &self.folder, numbers, threads, seconds)
    }
}

/// A GMM input as peers read it: d, K, n, γ, m, the constant term, then the tables.
pub fn gmm_numbers(input: &GmmInput) -> impl Iterator<Item = f64> {
    let sizes = [input.d, input.k, input.n].map(|s| s as f64);
    let prior = [
        input.gamma,
        f64::from(input.m),
        reference::constant_term(input),
    ];
    let tables = [&input.alphas, &input.means, &input.icf, &input.x];
    let tables = tables.into_iter().flatten().copied();
    sizes.into_iter().chain(prior).chain(tables)
}

/// Runs a peer on the input that `numbers` are: the command with the paths of input and output, the threads
/// and the seconds behind its arguments. It has to write the derivative and to print the two times.
///
/// # Errors
/// Where the peer cannot be run or fails.
pub fn measure(
    mut command: Command,
    folder: &Folder,
    numbers: impl Iterator<Item = f64>,
    threads: usize,
    seconds: f64,
) -> io::Result<Measured> {
    let (input, output) = (folder.0.join("input"), folder.0.join("output"));
    std::fs::write(
        &input,
        numbers.flat_map(f64::to_le_bytes).collect::<Vec<u8>>(),
    )?;
    command.arg(input).arg(&output);
    command.arg(threads.to_string()).arg(seconds.to_string());
    let out = command.output()?;
    let remarks = String::from_utf8_lossy(&out.stderr).into_owned();
    if !out.status.success() {
        return Err(io::Error::other(remarks));
    }
    let text = String::from_utf8_lossy(&out.stdout);
    let times: Vec<f64> = text
        .split_whitespace()
        .filter_map(|w| w.parse().ok())
        .collect();
    let [primal, derivative] = times[..] else {
        return Err(io::Error::other(format!("the peer printed {text:?}")));
    };
    Ok(Measured {
        primal,
        derivative,
        values: floats(&std::fs::read(output)?),
        remarks,
    })
}

impl Folder {
    /// Makes one of this process's own.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn create() -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("cotangent-peer-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    /// The path of a file in it.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _temporary_files_may_stay = std::fs::remove_dir_all(&self.0);
    }
}

/// The numbers of a file that a peer has written.
#[must_use]
pub fn floats(bytes: &[u8]) -> Vec<f64> {
    let chunks = bytes.chunks_exact(8);
    chunks
        .map(|c| f64::from_le_bytes(std::array::from_fn(|i| c[i])))
        .collect()
}
