//! What the variables of the environment say.

use std::{env, fs::File, str::FromStr, sync::LazyLock};

/// What the GPUs are.
pub(crate) struct Settings {
    pub(crate) devices: usize,
    pub(crate) capability: (u32, u32),
    pub(crate) memory: usize,
    pub(crate) ptx: (u32, u32),
    pub(crate) tiles: bool,
    pub(crate) log: Option<File>,
}

/// Read once.
pub(crate) static SETTINGS: LazyLock<Settings> = LazyLock::new(|| Settings {
    devices: variable("PTX_DRIVER_DEVICES", 1),
    capability: pair("PTX_DRIVER_CAPABILITY", (8, 0)),
    memory: variable("PTX_DRIVER_MEMORY", 4 << 30),
    ptx: pair("PTX_DRIVER_PTX", (9, 0)),
    tiles: variable("PTX_DRIVER_TILES", 1) == 1,
    log: env::var_os("PTX_DRIVER_LOG").map(|path| {
        let file = File::options().create(true).append(true).open(&path);
        file.unwrap_or_else(|error| panic!("PTX_DRIVER_LOG, {}: {error}", path.display()))
    }),
});

fn variable<T: FromStr>(name: &str, usual: T) -> T {
    env::var(name).map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name} is '{text}'")))
}

/// Two numbers with a dot between them.
fn pair(name: &str, usual: (u32, u32)) -> (u32, u32) {
    let Ok(text) = env::var(name) else { return usual };
    let parts = text.split_once('.').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    parts.unwrap_or_else(|| panic!("{name} is '{text}', not two numbers with a dot between them"))
}
