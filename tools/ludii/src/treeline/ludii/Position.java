package treeline.ludii;

import game.types.board.SiteType;
import other.context.Context;
import other.move.Move;
import other.state.container.ContainerState;

/** Ludii's positions as the engine writes them, where moves alone do not lead the engine there; see the README. */
final class Position {
    private Position() {
    }

    /** For `set_position`; null where the engine's game would be over, or is never set up so. */
    static String text(Context context, Variant variant, String mover) {
        switch (variant.game) {
            case "kalah":
                String one = side(context, variant.size, 1, 1, 2 * variant.size + 1);
                String two = side(context, variant.size, 2 * variant.size, -1, 0);
                boolean bare = one.matches("[0,]*:.*") || two.matches("[0,]*:.*");
                return bare ? null : one + " " + two + " " + mover;
            case "lines-of-action":
                return rows(context, variant.size) + " " + mover + " " + context.trial().numberRealMoves() + " 0";
            default:
                return null;
        }
    }

    private static String side(Context context, int houses, int first, int step, int store) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < houses; i++) {
            text.append(i == 0 ? "" : ",").append(seeds(context, first + i * step));
        }
        return text.append(':').append(seeds(context, store)).toString();
    }

    private static int seeds(Context context, int site) {
        return context.containerState(0).count(site, SiteType.Vertex);
    }

    private static String rows(Context context, int size) {
        ContainerState state = context.containerState(0);
        StringBuilder text = new StringBuilder();
        for (int row = size - 1; row >= 0; row--) {
            int empty = 0;
            for (int column = 0; column < size; column++) {
                int owner = state.who(row * size + column, SiteType.Cell);
                if (owner == 0) {
                    empty += 1;
                    continue;
                }
                text.append(empty > 0 ? Integer.toString(empty) : "").append(owner == 1 ? 'b' : 'w');
                empty = 0;
            }
            text.append(empty > 0 ? Integer.toString(empty) : "").append(row > 0 ? "/" : "");
        }
        return text.toString();
    }

    /** How good a move is where nothing needs to be thought out: seeds kept, or how far a piece gets. */
    static int gain(Context context, Variant variant, Move move) {
        int mover = context.state().mover();
        if (variant.game.equals("kalah")) {
            Context after = new Context(context);
            after.game().apply(after, move);
            int houses = variant.size;
            int sum = seeds(after, mover == 1 ? 2 * houses + 1 : 0);
            for (int i = 1; i <= houses; i++) {
                sum += seeds(after, mover == 1 ? i : houses + i);
            }
            return sum;
        }
        return mover == 1 ? move.to() : -move.to();
    }
}
