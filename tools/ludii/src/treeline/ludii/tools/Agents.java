package treeline.ludii.tools;

import java.util.Locale;
import other.AI;
import treeline.ludii.tools.Server.Failure;
import utils.AIFactory;

/** Agents by Ludii's names, and those of others by their class. Knows no game. */
final class Agents {
    private static final String BY_CLASS = "class=";

    private Agents() { }

    /** A new agent; the failure names what is not known. */
    static AI create(String agent) throws Failure {
        if (agent.startsWith(BY_CLASS)) {
            return byClass(agent.substring(BY_CLASS.length()));
        }
        AI ai;
        try {
            ai = AIFactory.createAI(agent);
        } catch (RuntimeException unknown) {
            ai = null;
        }
        // Ludii plays at random for whom it does not know.
        String lower = agent.toLowerCase(Locale.ROOT);
        boolean random = lower.equals("random") || lower.startsWith("algorithm=random");
        if (ai == null || !random && ai.getClass().getSimpleName().equals("RandomAI")) {
            throw new Failure("Ludii has no agent '" + agent + "'");
        }
        return ai;
    }

    private static AI byClass(String name) throws Failure {
        try {
            return Class.forName(name).asSubclass(AI.class).getDeclaredConstructor().newInstance();
        } catch (ClassNotFoundException missing) {
            throw new Failure("there is no class '" + name + "'; LUDII_CLASSPATH names the JAR that has it");
        } catch (ClassCastException other) {
            throw new Failure("the class '" + name + "' is no agent: it does not extend other.AI");
        } catch (ReflectiveOperationException | LinkageError failure) {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            throw new Failure("the class '" + name + "' makes no agent: " + cause);
        }
    }
}
