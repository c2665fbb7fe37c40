//! A progress bar on standard error, shown on terminals only.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// Steps of the bar.
const STEPS: u64 = 1000;

/// The bar.
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar, hidden if `quiet`.
    pub fn new(quiet: bool) -> Self {
        if quiet {
            return Self(ProgressBar::hidden());
        }
        let bar = ProgressBar::new(STEPS);
        let style = ProgressStyle::with_template("{msg:32} [{bar:30}] {elapsed}");
        bar.set_style(
            style
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("=> "),
        );
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    /// Says what is being done now.
    pub fn stage(&self, what: &'static str) {
        self.0.set_message(what);
        self.0.set_position(0);
    }

    /// Says how much of it is done, from 0 to 1.
    pub fn fraction(&self, done: f64) {
        self.0.set_position((done * STEPS as f64) as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
