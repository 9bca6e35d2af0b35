package treeline.ludii;

import game.Game;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import main.collections.FVector;
import main.collections.FastArrayList;
import org.json.JSONObject;
import other.AI;
import other.context.Context;
import other.move.Move;
import other.trial.Trial;
import treeline.ludii.Notation.Play;
import treeline.ludii.Variant.Unsupported;

/**
 * Plays with Treeline: choose "From JAR" in Ludii and this class.
 *
 * <p>One engine serves the agent for the whole match. Before each move the engine is brought to Ludii's position by the
 * moves that are missing, after taking back those that no longer hold, so that its search tree stays warm.
 */
public final class TreelineAgent extends AI {
    private static final String NAME = "Treeline";
    /** Seconds a search may take beyond its limit before the engine counts as hung. */
    private static final double PATIENCE = 30;
    /** Seconds after the last look at the distribution of visits during which it is kept live. */
    private static final double WATCHED = 5;
    private static final double LIVE_SHARE = 0.85;

    private final Session session = new Session();
    /** The game whose rules were compared with the engine's. */
    private WeakReference<Game> compared = new WeakReference<>(null);
    /** The hops that remain of a capture, and the number of moves when the next of them is due. */
    private List<Move> plan = Collections.emptyList();
    private int planned;
    private JSONObject stats;
    private String report;
    private volatile double estimate;
    private volatile AIVisualisationData shown;
    private volatile long watched = Long.MIN_VALUE / 2;

    public TreelineAgent() {
        setFriendlyName(NAME);
    }

    /**
     * Whether the rules are the engine's and the engine runs. Where not, the reason becomes part of the agent's name,
     * which is what Ludii shows, and goes to the standard error.
     */
    @Override
    public boolean supportsGame(Game game) {
        try {
            prepare(game);
            setFriendlyName(NAME);
            return true;
        } catch (Unsupported | Engine.Failed | Engine.Refused reason) {
            System.err.println("Treeline: " + reason.getMessage());
            setFriendlyName(NAME + " (" + reason.getMessage() + ")");
            return false;
        }
    }

    private void prepare(Game game) throws Unsupported {
        Variant variant = Variant.of(game);
        session.open(variant);
        // Ludii asks before every move, and a game begun anew makes it initialise all agents again.
        if (compared.get() != game) {
            compare(game, variant);
            compared = new WeakReference<>(game);
        }
    }

    /** Both must agree on the first moves, which tells variants apart that nobody has thought of. */
    private void compare(Game game, Variant variant) throws Unsupported {
        Context start = new Context(game, new Trial(game));
        game.start(start);
        HashSet<String> engine = new HashSet<>(session.legalMoves());
        HashSet<String> ludii = new HashSet<>(new Notation(variant).turns(start));
        if (!engine.equals(ludii)) {
            throw new Unsupported("Treeline's rules are not those of this " + game.name() + ": it begins with the moves "
                + engine + ", and Ludii with " + ludii);
        }
    }

    @Override
    public void initAI(Game game, int playerID) {
        plan = Collections.emptyList();
        stats = null;
        report = null;
        estimate = 0;
        shown = null;
        if (!supportsGame(game)) {
            throw new IllegalStateException(friendlyName());
        }
    }

    @Override
    public void closeAI() {
        session.retire();
    }

    @Override
    public Move selectAction(Game game, Context context, double maxSeconds, int maxIterations, int maxDepth) {
        Move next = nextOfPlan(context);
        if (next != null) {
            return next;
        }
        List<Move> legal = Notation.legal(context);
        // Such a pass may be none of the engine's moves, and needs no thought.
        if (legal.size() == 1 && legal.get(0).isPass()) {
            report = null;
            return legal.get(0);
        }
        boolean unlimited = maxSeconds < 0 && maxIterations < 0 && maxDepth < 0;
        Limits limits = new Limits(unlimited ? maxSecondsPerMove : maxSeconds, maxIterations, maxDepth);
        try {
            return think(game, context, limits);
        } catch (Engine.Failed failure) {
            System.err.println("Treeline: " + failure.getMessage() + "; starting it again");
            session.close();
            return think(game, context, limits);
        }
    }

    private Move nextOfPlan(Context context) {
        int moves = context.trial().numMoves();
        Move next = plan.isEmpty() || moves != planned ? null : Notation.same(context, plan.get(0));
        plan = next == null ? Collections.emptyList() : plan.subList(1, plan.size());
        planned = moves + 1;
        return next;
    }

    private Move think(Game game, Context context, Limits limits) {
        Variant variant;
        try {
            variant = Variant.of(game);
        } catch (Unsupported reason) {
            throw new IllegalStateException(reason.getMessage());
        }
        Notation notation = new Notation(variant);
        session.open(variant);
        if (!session.bringTo(notation.plays(context))) {
            String position = Position.text(context, variant, notation.mover(context));
            if (position == null) {
                return afterTheEnd(context, variant);
            }
            session.place(position);
        }
        String colour = notation.mover(context);
        String turn = session.call("side_to_move");
        if (turn.equals("none")) {
            return afterTheEnd(context, variant);
        }
        if (!turn.equals(colour)) {
            throw new IllegalStateException("Treeline: Ludii says it is " + colour + "'s turn, the engine " + turn
                + "'s, after " + notation.plays(context));
        }
        String text = search(notation, context, colour, limits);
        List<Move> moves = notation.find(context, text);
        if (moves.isEmpty()) {
            // Somebody else began this capture: what the engine wants can no longer be had.
            moves = notation.find(context, notation.turns(context).get(0));
        } else {
            session.rename(new Play(colour, notation.turn(context, moves)));
        }
        plan = moves.subList(1, moves.size());
        planned = context.trial().numMoves() + 1;
        return moves.get(0);
    }

    private String search(Notation notation, Context context, String colour, Limits limits) {
        double seconds = limits.seconds;
        boolean live = System.nanoTime() - watched < WATCHED * 1e9 && seconds > 0;
        if (live) {
            session.limit(limits.withSeconds(seconds * (1 - LIVE_SHARE)));
            long end = System.nanoTime() + (long) (seconds * LIVE_SHARE * 1e9);
            session.analyze("lz-analyze " + colour + " 20", () -> wantsInterrupt || System.nanoTime() - end >= 0,
                line -> show(notation, context, line));
        } else {
            session.limit(limits);
        }
        String text = session.genmove(colour, seconds < 0 ? -1 : seconds + PATIENCE, () -> wantsInterrupt);
        stats = new JSONObject(session.call("search_stats"));
        if (!stats.isNull("value")) {
            estimate = stats.getDouble("value");
        }
        report = Report.line(session.version(), text, stats);
        return text;
    }

    /**
     * Ludii plays on where the engine's game is over: in Breakthrough after the last capture, in Kalah if only the other
     * side is without seeds. The piece that goes farthest; the house that gives fewest seeds away.
     */
    private static Move afterTheEnd(Context context, Variant variant) {
        Move best = null;
        int most = Integer.MIN_VALUE;
        for (Move move : Notation.legal(context)) {
            int gain = Position.gain(context, variant, move);
            if (gain > most) {
                most = gain;
                best = move;
            }
        }
        return best;
    }

    // ---- what Ludii shows ----

    /** The value of the last search for this player, from -1 to 1. */
    @Override
    public double estimateValue() {
        return estimate;
    }

    @Override
    public String generateAnalysisReport() {
        return report;
    }

    /** The visits of each move while the engine thinks; asking for it makes the agent keep it live. */
    @Override
    public AIVisualisationData aiVisualisationData() {
        watched = System.nanoTime();
        return shown;
    }

    private void show(Notation notation, Context context, String line) {
        FastArrayList<Move> moves = new FastArrayList<>();
        List<Float> visits = new ArrayList<>();
        List<Float> values = new ArrayList<>();
        for (Report.Line group : Report.lines(line)) {
            List<Move> found = notation.find(context, group.move);
            if (!found.isEmpty()) {
                moves.add(found.get(0));
                visits.add(group.visits);
                values.add(group.value);
            }
        }
        if (!moves.isEmpty()) {
            estimate = values.get(0);
            shown = new AIVisualisationData(vector(visits), vector(values), moves);
        }
    }

    private static FVector vector(List<Float> numbers) {
        FVector vector = new FVector(numbers.size());
        for (int i = 0; i < numbers.size(); i++) {
            vector.set(i, numbers.get(i));
        }
        return vector;
    }

    /** The engine's `search_stats` after the last search, or null: for tests and experiments. */
    public String searchStats() {
        return stats == null ? null : stats.toString();
    }

    /** How often an engine was started: for tests. */
    public int starts() {
        return session.starts();
    }
}
