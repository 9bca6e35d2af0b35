package treeline.ludii.tools;

import java.util.List;
import treeline.ludii.tools.Server.Failure;

/** How long one of Ludii's agents may think. */
final class Clock {
    /** Kept back from clocks, since Ludii's agents stop a little late. */
    private static final double MARGIN = 0.05;
    /** A game's main time is meant to last for this many more moves. */
    private static final int MOVES_TO_GO = 30;

    private double seconds;
    private boolean clock;
    private double main;
    private double period;
    private int stones;
    private final double[] left = new double[3];
    private final int[] stonesLeft = new int[3];

    Clock(double seconds) {
        this.seconds = seconds;
    }

    void perMove(double limit) {
        seconds = limit;
        clock = false;
    }

    /** `time_settings MAIN PERIOD STONES`; a period without stones is no limit. */
    void settings(List<String> arguments) throws Failure {
        main = Server.number(arguments, 0, "main time in seconds");
        period = Server.number(arguments, 1, "a period in seconds");
        stones = (int) Server.number(arguments, 2, "the stones of a period");
        clock = !(stones == 0 && period > 0);
        for (int seat = 1; seat <= 2; seat++) {
            left[seat] = main;
            stonesLeft[seat] = 0;
        }
    }

    /** `time_left COLOUR SECONDS STONES`. */
    void left(int seat, List<String> arguments) throws Failure {
        left[seat] = Server.number(arguments, 1, "seconds");
        stonesLeft[seat] = arguments.size() > 2 ? (int) Server.number(arguments, 2, "stones") : 0;
    }

    /** Seconds for one move; negative is no limit. */
    double budget(int seat) {
        if (!clock) {
            return seconds;
        }
        double budget;
        if (stonesLeft[seat] > 0) {
            budget = left[seat] / stonesLeft[seat];
        } else if (left[seat] > 0) {
            budget = left[seat] / MOVES_TO_GO + (stones > 0 ? period / stones : 0);
            budget = Math.min(budget, left[seat] + (stones > 0 ? period / stones : 0));
        } else {
            budget = stones > 0 ? period / stones : 0;
        }
        return Math.max(0.01, budget - Math.min(MARGIN, budget / 10));
    }

    void spent(int seat, double used) {
        if (clock && stonesLeft[seat] == 0) {
            left[seat] = Math.max(0, left[seat] - used);
        }
    }
}
