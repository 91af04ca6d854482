"""Energy by command and standby time, from the datasheet's currents.

Each command is charged what it draws above standby; standby is charged by the rank and cycle. The figures are those of
Micron's power calculator (TN-41-01) as DRAMsim3 uses it (simulators.md §2.4), with the unit set right: current times
voltage times cycles is mW times cycles and needs the clock period to be energy. No power-down, no I/O, no termination.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpumodel.memory.dram.config import DramConfig

__all__ = ["DramEnergy"]


@dataclass(frozen=True)
class DramEnergy:
    """Prices of one rank, all its devices together.

    Parameters
    ----------
    activate_pj, read_pj, write_pj, refresh_pj : a command above standby; an activate includes its precharge
    active_standby_pj, precharge_standby_pj : a rank and cycle with any bank open, with all banks closed
    tck_ns : clock period
    idle_mw : standby of all ranks of all channels with a bank open, and their refreshes
    """

    activate_pj: float
    read_pj: float
    write_pj: float
    refresh_pj: float
    active_standby_pj: float
    precharge_standby_pj: float
    tck_ns: float
    idle_mw: float

    @classmethod
    def of(cls, config: DramConfig) -> DramEnergy:
        """Prices of a configuration: V x mA x ns = pJ."""
        power, timing = config.power, config.timing
        volts = power.VDD * config.devices_per_rank
        cycle = volts * timing.tCK
        row_cycle = timing.tRAS + timing.tRP
        activate = power.IDD0 * row_cycle - power.IDD3N * timing.tRAS - power.IDD2N * timing.tRP
        ranks = config.ranks * config.system.channels
        refresh = (power.IDD5AB - power.IDD3N) * timing.tRFC
        return cls(
            activate_pj=cycle * activate,
            read_pj=cycle * (power.IDD4R - power.IDD3N) * config.burst_cycles,
            write_pj=cycle * (power.IDD4W - power.IDD3N) * config.burst_cycles,
            refresh_pj=cycle * refresh,
            active_standby_pj=cycle * power.IDD3N,
            precharge_standby_pj=cycle * power.IDD2N,
            tck_ns=timing.tCK,
            idle_mw=volts * ranks * (power.IDD3N + refresh / timing.tREFI),
        )
