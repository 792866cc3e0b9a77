//! What CI holds: right results, and bounds on memory and bytes. Times are never held: the machine is shared.

use crate::data::Data;
use crate::method::Method;
use crate::rounds::{Line, Verdict};

const MIB: u64 = 1024;
/// Of every strategy, in KiB.
const PEAK_MAX_KIB: u64 = 96 * MIB;

/// # Panics
/// If something is not held.
pub fn hold(lines: &[Line], data: &Data) {
    let rows = 2 * data.count;
    for line in lines {
        let name = line.method.name();
        if let Verdict::Wrong(what) = &line.verdict {
            panic!("{name}: {what}");
        }
        let Method::Msgrecon(strategy) = line.method else { continue };
        assert!(
            line.peak_kib <= PEAK_MAX_KIB,
            "{name}: {} KiB at its peak, over {PEAK_MAX_KIB}",
            line.peak_kib
        );
        let bytes = line.bytes.map_or(0, |(down, up)| down + up);
        let most = bytes_a_row_max(strategy);
        assert!(bytes <= most * rows, "{name}: {bytes} bytes for {rows} rows, over {most} a row");
    }
    println!("held: results, memory within {} MiB, bytes within their bounds", PEAK_MAX_KIB / MIB);
}

/// Of both sides and directions.
fn bytes_a_row_max(strategy: Option<&str>) -> u64 {
    match strategy {
        Some("sketch") => 8,
        // `packed` is read as `stream` so far.
        _ => 75,
    }
}
