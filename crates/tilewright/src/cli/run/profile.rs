//! The options of profiles, and what becomes of one.

use super::bind::check_place;
use crate::cli::{input::shown, output::write_file};
use anyhow::Context as _;
use std::{
    io::{self, Write},
    path::PathBuf,
};
use tilewright::profile::Profile;

#[derive(clap::Args)]
pub(super) struct ProfileArgs {
    /// Measure what each operation and line of source takes, moves and computes, and print it beside the limits of this machine
    #[arg(long)]
    profile: bool,
    /// Write the profile as a page of HTML, with the source
    #[arg(long, value_name = "FILE")]
    profile_html: Option<PathBuf>,
    /// Write the profile as a flame graph, in SVG
    #[arg(long, value_name = "FILE")]
    profile_flame: Option<PathBuf>,
    /// Write what the threads did when as a trace that Perfetto opens, in JSON
    #[arg(long, value_name = "FILE")]
    profile_trace: Option<PathBuf>,
}

impl ProfileArgs {
    /// Whether a profile is wanted in some form.
    pub(super) fn is_given(&self) -> bool {
        self.profile || [&self.profile_html, &self.profile_flame, &self.profile_trace].into_iter().any(Option::is_some)
    }

    /// Checks that the files can be made, before what they are about takes its time.
    pub(super) fn check_files(&self) -> anyhow::Result<()> {
        let files =
            [(&self.profile_html, "--profile-html"), (&self.profile_flame, "--profile-flame"), (&self.profile_trace, "--profile-trace")];
        let given = files.into_iter().filter_map(|(path, option)| Some((path.as_ref()?, option)));
        given.into_iter().try_for_each(|(path, option)| check_place(path).with_context(|| format!("{option} {}", shown(path))))
    }

    /// Prints the profile, unless it is a part of a report in JSON, and writes the files.
    pub(super) fn write(&self, profile: &Profile, json: bool) -> anyhow::Result<()> {
        if self.profile && !json {
            let mut out = io::stdout().lock();
            write!(out, "\n{profile}")?;
            out.flush()?;
        }
        if let Some(path) = &self.profile_html {
            write_text(path, &profile.html())?;
        }
        if let Some(path) = &self.profile_flame {
            let svg = profile.flame_graph().context("there is nothing to draw")?;
            write_text(path, &svg)?;
        }
        if let Some(path) = &self.profile_trace {
            write_file(path, |out| Ok(serde_json::to_writer(out, &profile.trace())?)).with_context(|| cannot_write(path))?;
        }
        Ok(())
    }
}

fn write_text(path: &std::path::Path, text: &str) -> anyhow::Result<()> {
    write_file(path, |out| out.write_all(text.as_bytes())).with_context(|| cannot_write(path))
}

fn cannot_write(path: &std::path::Path) -> String {
    format!("cannot write {}", shown(path))
}
