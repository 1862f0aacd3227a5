# What a newcomer reads.
tilewright --help
tilewright print --help
tilewright validate --help
tilewright objdump --help
tilewright diff --help
tilewright stats --help
tilewright ops --help
tilewright run --help
tilewright bench --help
tilewright --version
tilewright
tilewright frobnicate
