import java.nio.file.Path;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;

/**
 * Starts Neo4j in the home that the argument names, with its conf/neo4j.conf. The jars of 2026 have no program for
 * this.
 */
class StartNeo4j {
    public static void main(String[] arguments) throws InterruptedException {
        var home = Path.of(arguments[0]);
        new DatabaseManagementServiceBuilder(home).loadPropertiesFromFile(home.resolve("conf/neo4j.conf")).build();
        Thread.currentThread().join();
    }
}
