package treeline.ludii;

/** What a move may cost; negative is no limit. */
final class Limits {
    final double seconds;
    final int simulations;
    final int depth;

    Limits(double seconds, int simulations, int depth) {
        this.seconds = seconds;
        this.simulations = simulations;
        this.depth = depth;
    }

    Limits withSeconds(double other) {
        return new Limits(other, simulations, depth);
    }

    /** The commands that set them. */
    String[] commands() {
        return new String[] {
            "set_option seconds " + (seconds < 0 ? "off" : Double.toString(Math.min(seconds, 1e6))),
            "set_option simulations " + count(simulations),
            "set_option depth " + count(Math.min(depth, 1000)),
        };
    }

    private static String count(int limit) {
        return limit < 0 ? "off" : Integer.toString(Math.max(1, limit));
    }
}
