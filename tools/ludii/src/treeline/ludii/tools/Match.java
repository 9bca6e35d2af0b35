package treeline.ludii.tools;

import game.Game;
import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import main.Constants;
import org.json.JSONObject;
import other.AI;
import other.GameLoader;
import other.RankUtils;
import other.context.Context;
import other.move.Move;
import other.trial.Trial;
import utils.AIFactory;

/**
 * Plays the agent against Ludii's own and counts the moves that Ludii does not accept. The agent is loaded from its JAR
 * as Ludii's menu "From JAR" does it, so the class path of this program must not have it.
 */
public final class Match {
    private static final String USAGE = "usage: match AGENT.jar [--games N] [--seconds S] [--iterations N] "
        + "[--turns N] [--opponents A,B,…] [--ludii NAME.lud [--options A;B]] [--watch yes]";
    private static final String AGENT = "treeline.ludii.TreelineAgent";
    private static final String[] GAMES = {"Breakthrough.lud", "Connect Four.lud", "Hex.lud",
        "International Draughts.lud", "Kalah.lud", "Lines of Action.lud", "Reversi.lud"};

    private final File jar;
    private final double seconds;
    private final int iterations;
    private final int turns;
    /** Asks for the visits of moves as Ludii's window does when it shows them. */
    private final boolean watch;

    private Match(File jar, Map<String, String> options) {
        this.jar = jar;
        seconds = Double.parseDouble(options.getOrDefault("--seconds", "0.2"));
        iterations = Integer.parseInt(options.getOrDefault("--iterations", "-1"));
        turns = Integer.parseInt(options.getOrDefault("--turns", "150"));
        watch = options.getOrDefault("--watch", "no").equals("yes");
    }

    /** What happened between the agent and one opponent. */
    private static final class Tally {
        int games;
        int wins;
        int draws;
        int moves;
        int rejected;
        int searches;
        int reused;
        long reusedVisits;
        double slowest;
        int starts;
        int shown;

        String json(String game, String opponent) {
            JSONObject line = new JSONObject();
            line.put("game", game).put("opponent", opponent).put("games", games).put("wins", wins).put("draws", draws);
            line.put("losses", games - wins - draws).put("moves", moves).put("rejected", rejected);
            line.put("searches", searches).put("searches_with_reuse", reused).put("reused_visits", reusedVisits);
            line.put("slowest", Math.round(slowest * 1000) / 1000.0).put("engine_starts", starts).put("shown", shown);
            return line.toString();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, String> options = new HashMap<>();
        for (int i = 1; i + 1 < arguments.length; i += 2) {
            options.put(arguments[i], arguments[i + 1]);
        }
        if (arguments.length % 2 != 1 || !new File(arguments[0]).isFile()) {
            System.err.println(USAGE);
            System.exit(2);
        }
        System.err.println("Ludii " + Constants.LUDEME_VERSION + ", Java " + System.getProperty("java.version"));
        Match match = new Match(new File(arguments[0]), options);
        String[] opponents = options.getOrDefault("--opponents", "Alpha-Beta,UCT").split(",");
        String only = options.get("--ludii");
        int games = Integer.parseInt(options.getOrDefault("--games", "2"));
        int rejected = 0;
        for (String name : only == null ? GAMES : new String[] {only}) {
            List<String> chosen = options.containsKey("--options") ? Arrays.asList(options.get("--options").split(";"))
                : Collections.emptyList();
            Game game = GameLoader.loadGameFromName(name, chosen);
            game.setMaxTurns(match.turns);
            for (String opponent : opponents) {
                Tally tally = match.tally(game, opponent, games);
                rejected += tally.rejected;
                System.out.println(tally.json(game.name(), opponent));
            }
        }
        System.exit(rejected == 0 ? 0 : 1);
    }

    private Tally tally(Game game, String opponent, int games) throws Exception {
        try {
            return play(game, opponent, games);
        } catch (RuntimeException failure) {
            System.err.println("match: " + failure.getMessage());
            System.exit(1);
            throw failure;
        }
    }

    private Tally play(Game game, String opponent, int games) throws Exception {
        Tally tally = new Tally();
        JSONObject wanted = new JSONObject().put("algorithm", "From JAR").put("JAR File", jar.getPath())
            .put("Class Name", AGENT);
        AI agent = AIFactory.fromJson(new JSONObject().put("AI", wanted));
        AI other = AIFactory.createAI(opponent);
        if (agent == null || other == null || !agent.supportsGame(game)) {
            throw new IllegalStateException("cannot play: " + (agent == null ? AGENT : agent.friendlyName()));
        }
        int started = game.gameStartCount();
        if (!agent.supportsGame(game) || game.gameStartCount() != started) {
            // Ludii would initialise every agent anew before each move.
            throw new IllegalStateException("asking the agent about a game begins it anew");
        }
        for (int number = 0; number < games; number++) {
            int seat = 1 + number % 2;
            List<AI> seats = seat == 1 ? Arrays.asList(null, agent, other) : Arrays.asList(null, other, agent);
            play(game, seats, seat, tally);
        }
        tally.starts = (Integer) agent.getClass().getMethod("starts").invoke(agent);
        agent.closeAI();
        other.closeAI();
        return tally;
    }

    private void play(Game game, List<AI> seats, int seat, Tally tally) throws Exception {
        Context context = new Context(game, new Trial(game));
        game.start(context);
        for (int i = 1; i <= 2; i++) {
            seats.get(i).initAI(game, i);
        }
        AI agent = seats.get(seat);
        String seen = null;
        while (!context.trial().over()) {
            AI ai = seats.get(context.state().playerToAgent(context.state().mover()));
            tally.shown += watch && ai == agent && agent.aiVisualisationData() != null ? 1 : 0;
            long begin = System.nanoTime();
            Move move = ai.selectAction(game, ai.copyContext(context), seconds, iterations, -1);
            if (ai == agent) {
                tally.moves += 1;
                tally.slowest = Math.max(tally.slowest, (System.nanoTime() - begin) / 1e9);
                seen = count(agent, seen, tally);
                if (move == null || !context.model().verifyMoveLegal(context, move)) {
                    tally.rejected += 1;
                    System.err.println("rejected in " + game.name() + ": " + move);
                    List<Move> legal = new ArrayList<>();
                    game.moves(context).moves().forEach(legal::add);
                    move = legal.get(0);
                }
            }
            game.apply(context, move);
        }
        double result = RankUtils.agentUtilities(context)[seat];
        tally.games += 1;
        tally.wins += result > 0 ? 1 : 0;
        tally.draws += result == 0 ? 1 : 0;
        System.err.printf(Locale.ROOT, "%s, seat %d, %d moves, %s%n", game.name(), seat,
            context.trial().numberRealMoves(), result > 0 ? "won" : result < 0 ? "lost" : "drawn");
    }

    /** Adds what the engine says of a search that has not been counted yet. */
    private static String count(AI agent, String seen, Tally tally) throws Exception {
        String stats = (String) agent.getClass().getMethod("searchStats").invoke(agent);
        if (stats != null && !stats.equals(seen)) {
            long visits = new JSONObject(stats).optLong("reused_nodes");
            tally.searches += 1;
            tally.reused += visits > 0 ? 1 : 0;
            tally.reusedVisits += visits;
        }
        return stats;
    }
}
