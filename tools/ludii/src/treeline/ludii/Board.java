package treeline.ludii;

import game.types.board.SiteType;
import java.util.TreeMap;
import other.context.Context;
import other.state.container.ContainerState;
import other.topology.TopologyElement;

/** Ludii's board as text, for people. */
final class Board {
    private Board() {
    }

    /** Each site as Ludii names it, with its owner (or disc colour) and count; rows from the highest. */
    static String text(Context context) {
        SiteType type = context.board().defaultSite();
        ContainerState state = context.containerState(0);
        TreeMap<Integer, StringBuilder> rows = new TreeMap<>((a, b) -> b - a);
        for (TopologyElement site : context.board().topology().getGraphElements(type)) {
            int index = site.index();
            StringBuilder row = rows.computeIfAbsent(site.row(), r -> new StringBuilder());
            row.append(site.label()).append(':').append(symbol(context, state, index, type)).append(' ');
        }
        return String.join("\n", rows.values());
    }

    private static String symbol(Context context, ContainerState state, int site, SiteType type) {
        if (context.game().isStacking()) {
            StringBuilder stack = new StringBuilder();
            for (int level = 0; level < state.sizeStack(site, type); level++) {
                stack.append(mark(state.who(site, level, type)));
            }
            return stack.length() == 0 ? "." : stack.toString();
        }
        int count = state.count(site, type);
        if (count > 1) {
            return Integer.toString(count);
        }
        // Reversi's discs belong to nobody; their state says whose colour is up.
        int owner = state.state(site, type) > 0 ? state.state(site, type) : state.who(site, type);
        boolean seed = count == 1 && owner != 1 && owner != 2;
        return seed ? "1" : mark(owner);
    }

    private static String mark(int owner) {
        return owner == 1 ? "X" : owner == 2 ? "O" : ".";
    }
}
