# One operation in detail.
tilewright ops addf
tilewright ops load_view_tko
tilewright ops cuda_tile.for
tilewright ops atomic_rmw_tko --json
